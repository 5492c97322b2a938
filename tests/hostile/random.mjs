// The same numbers in every run: a failure can be repeated from its seed.
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {  // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

export function randomBytes(seed, count) {
  const random = randomFrom(seed);
  return Buffer.from(Array.from({ length: count }, () => Math.floor(random() * 256)));
}
