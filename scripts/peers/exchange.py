"""What Python's libraries make of the payloads of a folder, and payloads of theirs: see examples/interop/others.rs for the layout.

    python exchange.py FOLDER SCHEMAS
"""
import importlib.metadata
import json
import pathlib
import platform
import struct
import sys

FOLDER, SCHEMAS = map(pathlib.Path, sys.argv[1:])
LANGUAGE = "Python " + platform.python_version()
VALUES = {path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}


def double(bits):
    return struct.unpack(">d", bytes.fromhex(bits))[0]


def bits(value):
    return struct.pack(">d", value).hex()


def protobuf():
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    # The schema as its compiler would describe it: protoc is no part of the library.
    file = descriptor_pb2.FileDescriptorProto(name="organization.proto", package="wirewise.organization", syntax="proto3")
    types = {"int": 5, "text": 9, "double": 1, "long": 3}

    def message(name, fields):
        described = file.message_type.add(name=name)
        for number, (field, kind, label) in enumerate(fields, 1):
            added = described.field.add(name=field, number=number, label=3 if label == "repeated" else 1)
            if kind in types:
                added.type = types[kind]
            else:
                added.type, added.type_name = 11, ".wirewise.organization." + kind
            if label == "optional":
                added.proto3_optional, added.oneof_index = True, len(described.oneof_decl)
                described.oneof_decl.add(name="_" + field)

    texts = [(name, "text", "optional") for name in ("name", "description", "address")]
    message("Member", [("id", "int", ""), *texts, ("value", "double", ""), ("update_time", "long", "")])
    message("Organization", [("id", "int", ""), ("tags", "text", "repeated"), ("members", "Member", "repeated")])
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    Organization = message_factory.GetMessageClass(pool.FindMessageTypeByName("wirewise.organization.Organization"))

    def read(payload):
        o = Organization.FromString(payload)
        members = [[m.id, m.name, m.description, m.address, bits(m.value), str(m.update_time)] for m in o.members]
        return [o.id, list(o.tags), members]

    def write(value):
        o = Organization(id=value[0], tags=value[1])
        for id, name, description, address, number, time in value[2]:
            o.members.add(id=id, name=name, description=description, address=address, value=double(number), update_time=int(time))
        return o.SerializeToString()

    return {name: (read, write) for name in ("protobuf", "protobuf-net", "google-protobuf")}


def msgpack():
    import msgpack

    keys = ["Id", "Name", "Description", "Address", "Value", "UpdateTime"]

    def plain(id, tags, members):
        return [id, tags, [[*fields[:4], bits(fields[4]), str(fields[5])] for fields in members]]

    def typed(members):
        return [[*fields[:4], double(fields[4]), int(fields[5])] for fields in members]

    def read_array(payload):
        return plain(*msgpack.unpackb(payload))

    def write_array(value):
        return msgpack.packb([value[0], value[1], typed(value[2])])

    def read_map(payload):
        o = msgpack.unpackb(payload)
        return plain(o["Id"], o["Tags"], [[m[key] for key in keys] for m in o["Members"]])

    def write_map(value):
        members = [dict(zip(keys, fields)) for fields in typed(value[2])]
        return msgpack.packb({"Id": value[0], "Tags": value[1], "Members": members})

    formats = {name: (read_array, write_array) for name in ("messagepack-array", "messagepack-csharp-array")}
    return formats | {name: (read_map, write_map) for name in ("messagepack-map", "messagepack-csharp-map")}


def flatbuffers():
    import flatbuffers
    from flatbuffers import encode, packer, table
    from flatbuffers import number_types as types

    # What generated code calls: field i of a table has the slot 4 + 2i.
    def at(of, field):
        return of.Pos + of.Offset(4 + 2 * field)

    def number(of, field, flags):
        return of.Get(flags, at(of, field)) if of.Offset(4 + 2 * field) else 0

    def text(of, field):
        return of.String(at(of, field)).decode() if of.Offset(4 + 2 * field) else None

    def read(payload):
        root = table.Table(bytearray(payload), encode.Get(packer.uoffset, payload, 0))
        tags, members = root.Offset(6), root.Offset(8)
        texts = [root.String(root.Vector(tags) + 4 * i).decode() for i in range(root.VectorLen(tags))]
        rows = []
        for i in range(root.VectorLen(members)):
            m = table.Table(root.Bytes, root.Indirect(root.Vector(members) + 4 * i))
            strings = [text(m, field) for field in (1, 2, 3)]
            number64 = number(m, 5, types.Int64Flags)
            rows.append([number(m, 0, types.Int32Flags), *strings, bits(number(m, 4, types.Float64Flags)), str(number64)])
        return [number(root, 0, types.Int32Flags), texts, rows]

    def vector(builder, items):
        builder.StartVector(4, len(items), 4)
        for item in reversed(items):
            builder.PrependUOffsetTRelative(item)
        return builder.EndVector()

    def write(value):
        builder = flatbuffers.Builder(1024)
        members = []
        for id, *texts, number, time in value[2]:
            strings = [builder.CreateString(string) for string in texts]
            builder.StartObject(6)
            builder.PrependInt32Slot(0, id, 0)
            for slot, string in enumerate(strings, 1):
                builder.PrependUOffsetTRelativeSlot(slot, string, 0)
            builder.PrependFloat64Slot(4, double(number), 0.0)
            builder.PrependInt64Slot(5, int(time), 0)
            members.append(builder.EndObject())
        tags = vector(builder, [builder.CreateString(tag) for tag in value[1]])
        members = vector(builder, members)
        builder.StartObject(3)
        builder.PrependInt32Slot(0, value[0], 0)
        builder.PrependUOffsetTRelativeSlot(1, tags, 0)
        builder.PrependUOffsetTRelativeSlot(2, members, 0)
        builder.Finish(builder.EndObject(), file_identifier=b"WWOR")
        return bytes(builder.Output())

    return {"flatbuffers": (read, write)}


def pycapnp():
    import capnp

    Organization = capnp.load(str(SCHEMAS / "organization.capnp")).Organization

    def plain(o):
        members = [[m.id, m.name, m.description, m.address, bits(m.value), str(m.updateTime)] for m in o.members]
        return [o.id, list(o.tags), members]

    def read(payload):
        with Organization.from_bytes(payload) as o:
            return plain(o)

    def message(value):
        o = Organization.new_message(id=value[0], tags=value[1])
        members = o.init("members", len(value[2]))
        for at, (id, name, description, address, number, time) in enumerate(value[2]):
            m = members[at]
            m.id, m.name, m.description, m.address, m.value, m.updateTime = id, name, description, address, double(number), int(time)
        return o

    return {
        "capnp": (read, lambda value: message(value).to_bytes()),
        "capnp-packed": (lambda payload: plain(Organization.from_bytes_packed(payload)), lambda value: message(value).to_bytes_packed()),
    }


def main():
    lines = []
    for library, load in {"protobuf": protobuf, "msgpack": msgpack, "flatbuffers": flatbuffers, "pycapnp": pycapnp}.items():
        try:
            version = importlib.metadata.version(library)
            formats = load()
        except Exception as error:
            lines.append(("skipped", f"{LANGUAGE}, {library}", f"{type(error).__name__}: {error}"))
            continue
        for format, (read, write) in formats.items():
            for name, value in VALUES.items():
                try:
                    outcome = "equal" if read((FOLDER / f"{name}.{format}.bin").read_bytes()) == value else "differed"
                except Exception as error:
                    outcome = f"{type(error).__name__}: {error}"
                lines.append(("read", LANGUAGE, library, version, format, name, outcome))
                file = f"{name}.{format}.python.bin"
                (FOLDER / file).write_bytes(write(value))
                lines.append(("written", LANGUAGE, library, version, format, name, file))
    text = "".join("\t".join(" ".join(field.split()) for field in line) + "\n" for line in lines)
    (FOLDER / "python.tsv").write_text(text)


main()
