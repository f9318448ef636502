// What Node's libraries make of the payloads of a folder, and payloads of theirs: see examples/interop/others.rs for the layout.
//
//     node exchange.mjs FOLDER SCHEMAS MODULES
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { isDeepStrictEqual } from "node:util";

const [folder, schemas, modules] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const language = `Node.js ${process.versions.node}`;
const values = readdirSync(folder).filter((file) => file.endsWith(".json")).map((file) => [file.slice(0, -5), JSON.parse(readFileSync(`${folder}/${file}`))]);

const view = new DataView(new ArrayBuffer(8));

function bits(number) {
  view.setFloat64(0, number);
  return view.getBigUint64(0).toString(16).padStart(16, "0");
}

function double(text) {
  view.setBigUint64(0, BigInt(`0x${text}`));
  return view.getFloat64(0);
}

const loaders = {
  protobufjs() {
    const protobuf = require("protobufjs");
    const Long = require("long");
    protobuf.util.Long = Long;
    protobuf.configure();
    const type = protobuf.loadSync(`${schemas}/organization.proto`).lookupType("wirewise.organization.Organization");
    const read = (payload) => {
      const o = type.decode(payload);
      return [o.id, o.tags, o.members.map((m) => [m.id, m.name, m.description, m.address, bits(m.value), m.updateTime.toString()])];
    };
    const write = ([id, tags, members]) => type.encode(type.create({
      id,
      tags,
      members: members.map(([id, name, description, address, value, time]) => ({ id, name, description, address, value: double(value), updateTime: Long.fromString(time) })),
    })).finish();
    return Object.fromEntries(["protobuf", "protobuf-net", "google-protobuf"].map((format) => [format, { read, write }]));
  },

  "@msgpack/msgpack"() {
    const { decode, encode } = require("@msgpack/msgpack");
    const keys = ["Id", "Name", "Description", "Address", "Value", "UpdateTime"];
    // Integers of up to 32 bits come as numbers, those of 64 as BigInt.
    const member = ([id, name, description, address, value, time]) => [Number(id), name, description, address, bits(value), time.toString()];
    const plain = (id, tags, members) => [Number(id), tags, members.map(member)];
    // Numbers are written as doubles, so that integers have to be BigInt.
    const typed = ([id, name, description, address, value, time]) => [BigInt(id), name, description, address, double(value), BigInt(time)];
    const to = { useBigInt64: true, forceIntegerToFloat: true };
    const array = {
      read: (payload) => plain(...decode(payload, { useBigInt64: true })),
      write: ([id, tags, members]) => encode([BigInt(id), tags, members.map(typed)], to),
    };
    const map = {
      read: (payload) => {
        const o = decode(payload, { useBigInt64: true });
        return plain(o.Id, o.Tags, o.Members.map((m) => keys.map((key) => m[key])));
      },
      write: ([id, tags, members]) => encode({ Id: BigInt(id), Tags: tags, Members: members.map((m) => Object.fromEntries(typed(m).map((field, at) => [keys[at], field]))) }, to),
    };
    return { "messagepack-array": array, "messagepack-csharp-array": array, "messagepack-map": map, "messagepack-csharp-map": map };
  },

  flatbuffers() {
    const { Builder, ByteBuffer } = require("flatbuffers");
    // What generated code calls: field i of a table has the slot 4 + 2i.
    const field = (bytes, table, at, read, absent) => {
      const offset = bytes.__offset(table, 4 + 2 * at);
      return offset ? read(table + offset) : absent;
    };
    const read = (payload) => {
      const bytes = new ByteBuffer(payload);
      const root = bytes.readInt32(bytes.position()) + bytes.position();
      const list = (table, at, item) => field(bytes, table, at, (offset) => {
        const start = bytes.__vector(offset);
        return Array.from({ length: bytes.__vector_len(offset) }, (_, index) => item(start + 4 * index));
      }, null);
      const member = (offset) => {
        const table = bytes.__indirect(offset);
        const text = (at) => field(bytes, table, at, (offset) => bytes.__string(offset), null);
        const value = field(bytes, table, 4, (offset) => bytes.readFloat64(offset), 0);
        const time = field(bytes, table, 5, (offset) => bytes.readInt64(offset), 0n);
        return [field(bytes, table, 0, (offset) => bytes.readInt32(offset), 0), text(1), text(2), text(3), bits(value), time.toString()];
      };
      return [field(bytes, root, 0, (offset) => bytes.readInt32(offset), 0), list(root, 1, (offset) => bytes.__string(offset)), list(root, 2, member)];
    };
    const write = ([id, tags, members]) => {
      const builder = new Builder(1024);
      const vector = (items) => {
        builder.startVector(4, items.length, 4);
        items.toReversed().forEach((item) => builder.addOffset(item));
        return builder.endVector();
      };
      const tables = members.map(([id, name, description, address, value, time]) => {
        const texts = [name, description, address].map((text) => builder.createString(text));
        builder.startObject(6);
        builder.addFieldInt32(0, id, 0);
        texts.forEach((text, at) => builder.addFieldOffset(at + 1, text, 0));
        builder.addFieldFloat64(4, double(value), 0);
        builder.addFieldInt64(5, BigInt(time), 0n);
        return builder.endObject();
      });
      const list = vector(tags.map((tag) => builder.createString(tag)));
      const rows = vector(tables);
      builder.startObject(3);
      builder.addFieldInt32(0, id, 0);
      builder.addFieldOffset(1, list, 0);
      builder.addFieldOffset(2, rows, 0);
      builder.finish(builder.endObject(), "WWOR");
      return builder.asUint8Array();
    };
    return { flatbuffers: { read, write } };
  },
};

// Its entry point cannot be asked for by `require`, and the schema is compiled by its own program.
async function capnp() {
  const { Message } = await import(`${modules}/node_modules/capnp-es/dist/index.mjs`);
  const { Organization } = await import(`${modules}/schema/organization.mjs`);
  const plain = (o) => {
    const members = Array.from(o.members, (m) => [m.id, m.name, m.description, m.address, bits(m.value), m.updateTime.toString()]);
    return [o.id, Array.from(o.tags), members];
  };
  const message = ([id, tags, members]) => {
    const message = new Message();
    const o = message.initRoot(Organization);
    o.id = id;
    const list = o._initTags(tags.length);
    tags.forEach((tag, at) => list.set(at, tag));
    const rows = o._initMembers(members.length);
    members.forEach(([id, name, description, address, value, time], at) => {
      const m = rows.get(at);
      [m.id, m.name, m.description, m.address, m.value, m.updateTime] = [id, name, description, address, double(value), BigInt(time)];
    });
    return message;
  };
  const read = (packed) => (payload) => plain(new Message(payload, packed).getRoot(Organization));
  return {
    capnp: { read: read(false), write: (value) => new Uint8Array(message(value).toArrayBuffer()) },
    "capnp-packed": { read: read(true), write: (value) => new Uint8Array(message(value).toPackedArrayBuffer()) },
  };
}

const lines = [];
for (const [library, load] of [...Object.entries(loaders), ["capnp-es", capnp]]) {
  let version, formats;
  try {
    version = JSON.parse(readFileSync(`${modules}/node_modules/${library}/package.json`)).version;
    formats = await load();
  } catch (error) {
    lines.push(["skipped", `${language}, ${library}`, String(error)]);
    continue;
  }
  for (const [format, { read, write }] of Object.entries(formats)) {
    for (const [name, value] of values) {
      let outcome;
      try {
        outcome = isDeepStrictEqual(read(new Uint8Array(readFileSync(`${folder}/${name}.${format}.bin`))), value) ? "equal" : "differed";
      } catch (error) {
        outcome = String(error);
      }
      lines.push(["read", language, library, version, format, name, outcome]);
      const file = `${name}.${format}.node.bin`;
      writeFileSync(`${folder}/${file}`, write(value));
      lines.push(["written", language, library, version, format, name, file]);
    }
  }
}
writeFileSync(`${folder}/node.tsv`, lines.map((line) => `${line.map((field) => field.replace(/\s+/g, " ")).join("\t")}\n`).join(""));
