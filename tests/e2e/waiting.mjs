// Waiting for an event or a condition, never for a time alone.
import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 10;
export const WAIT_MS_MAX = 10_000;

export async function within(ms, what, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited ${ms} ms in vain for ${what}`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

// Polls until `condition` gives something true, and returns that.
export async function until(what, condition, ms = WAIT_MS_MAX) {
  const end = performance.now() + ms;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > end) throw new Error(`waited ${ms} ms in vain until ${what}`);
    await pause(POLL_MS);
  }
}
