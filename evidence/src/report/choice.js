// The model of src/choice, for the page: the same facts, the same sums, the same ranking. The browser tests hold the two together.
// A time is an array of three: median, and the low and high end of its interval.
"use strict";

const choice = (() => {
  const nought = [0, 0, 0];
  const exact = (value) => [value, value, value];
  const times = (one, factor) => one.map((value) => value * factor);
  const plus = (...all) => all.reduce((sum, one) => sum.map((value, index) => value + one[index]));
  const larger = (...all) => all.reduce((most, one) => most.map((value, index) => Math.max(value, one[index])));
  const ASSUMPTIONS = [
    ["bandwidth", (wish, factor) => { wish.bandwidth *= factor; }],
    ["round trip", (wish, factor) => { wish.round_trip *= factor; }],
    ["reads per write", (wish, factor) => { wish.reads_per_write *= factor; }],
    ["share of fields read", (wish, factor) => { wish.fields_read = Math.min(wish.fields_read * factor, 1); }],
    ["cores", (wish, factor) => { wish.cores = Math.max(wish.cores * factor, 1); }],
    ["members a message", (wish, factor) => { wish.members = Math.max(wish.members * factor, 1); }],
    ["bytes that codecs leave", (wish, factor) => { wish.compressed *= factor; }],
    ["time that codecs take", (wish, factor) => { wish.codec_time *= factor; }],
  ];

  // See src/choice/model.rs.
  function planned(island, facts, format, codec, way, wish, plan) {
    const n = wish.members;
    const encode = times(format.encode, n);
    const coded = (name) => (codec ? times(codec[name], n * wish.codec_time) : nought);
    const [compress, decompress] = [coded("compress"), coded("decompress")];
    const bytes = (codec ? Math.min(codec.bytes * wish.compressed, Math.max(format.bytes, codec.bytes)) : format.bytes) * n;
    const link = ((bytes * 8) / wish.bandwidth) * 1e9;
    const store = wish.stored_at === null ? null : ((bytes * 8) / wish.stored_at) * 1e9;
    const share = wish.fields_read;
    const read = times(plus(times(way.open, 1 - share), times(larger(way.all, way.open), share)), n);
    const reads = wish.reads_per_write;
    const blocks = plan === "sequence" ? 1 : Math.max(1, Math.floor((n * facts.data_bytes) / island.block));
    const cores = Math.min(wish.cores, blocks);
    const [writer, reader] = [plus(encode, compress), plus(decompress, read)];
    const through = (write, wire, last) => {
      const w = [times(write, 1 / cores), times(write, 1 / blocks)];
      const l = [exact(wire), exact(wire / blocks)];
      const d = [times(last, 1 / cores), times(last, 1 / blocks)];
      return larger(plus(w[0], l[1], d[1]), plus(w[1], l[0], d[1]), plus(w[1], l[1], d[0]));
    };
    const roundTrip = exact(wish.round_trip);
    const fetch = plus(through(nought, link, reader), roundTrip);
    let time;
    if (store !== null) {
      time = plus(through(writer, store, nought), times(fetch, reads));
    } else {
      const whole = plus(through(writer, link, reader), roundTrip);
      time = reads >= 1 ? plus(whole, times(fetch, reads - 1)) : plus(times(whole, reads), times(writer, (1 - reads) / cores));
    }
    const transfer = (link + wish.round_trip) * reads + (store ?? 0);
    return {
      plan, time, bytes,
      exposed: Math.max(time[0] - transfer, 0),
      terms: { encode: encode[0], compress: compress[0], transfer, decompress: decompress[0] * reads, read: read[0] * reads },
      memory: memory(facts, format, codec ? bytes : 0, way, n, plan === "sequence" ? 1 : Math.min((island.blocks_in_memory * cores) / blocks, 1)),
    };
  }

  function memory(facts, format, compressed, way, n, part) {
    if (facts.value_bytes === null || way.peak === null) return null;
    const payload = format.bytes * n;
    const writer = facts.value_bytes * n + (payload + compressed) * part;
    return Math.max(writer, way.peak * n + payload * (way.way === "decode" ? part : 1) + compressed * part);
  }

  function barred(format, way, wish) {
    const failed = way.damaged !== null && way.damaged.failed > 0;
    return (wish.untrusted && (way.way === "unchecked" || failed)) || (wish.must_evolve && format.evolves !== null && !format.evolves.additive) || (wish.libraries_only && format.ours);
  }

  function rank(island, facts, wish) {
    const ranking = [];
    for (const format of facts.formats) {
      for (const way of format.ways) {
        if (barred(format, way, wish)) continue;
        for (const codec of [null, ...format.codecs]) {
          const [one, other] = ["sequence", "blocks"].map((plan) => planned(island, facts, format, codec, way, wish, plan));
          const estimate = other.time[0] < one.time[0] ? other : one;
          if (wish.memory !== null && estimate.memory !== null && estimate.memory > wish.memory) continue;
          ranking.push({ format: format.name, codec: codec && codec.name, way: way.way, ours: format.ours, evolves: format.evolves, damaged: way.damaged, tie: false, ...estimate });
        }
      }
    }
    ranking.sort((one, other) => one.time[0] - other.time[0]);
    const [first, ...rest] = ranking;
    for (const one of rest) {
      const gap = one.time[0] - first.time[0];
      one.tie = gap <= facts.noise * Math.max(one.exposed, first.exposed) || (one.time[1] <= first.time[2] && first.time[1] <= one.time[2]);
    }
    if (first) first.tie = rest.some((one) => one.tie);
    return ranking;
  }

  const same = (one, other) => one.format === other.format && one.codec === other.codec && one.way === other.way;

  function sensitivity(island, facts, wish, first) {
    const all = [];
    for (const [assumption, change] of ASSUMPTIONS) {
      for (const factor of [0.5, 2]) {
        const changed = { ...wish };
        change(changed, factor);
        if (Object.keys(wish).every((key) => wish[key] === changed[key])) continue;
        const ranking = rank(island, facts, changed);
        if (ranking.length === 0) continue;
        const before = ranking.find((one) => same(one, first));
        const holds = Boolean(before && (before.tie || same(before, ranking[0])));
        all.push({ assumption, factor, first: ranking[0], holds, regret: before ? before.time[0] / ranking[0].time[0] : Infinity });
      }
    }
    return all;
  }

  return { rank, sensitivity, same };
})();
