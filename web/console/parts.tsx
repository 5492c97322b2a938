import type { ComponentChildren } from 'preact';

import { ServerError, type Cost } from '../common/mcp';

export function grouped(value: number): string {
  return Math.round(value).toString().replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = -1;
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000;
    ++unit;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export function durationText(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min`;
  if (seconds < 86_400) return `${(seconds / 3_600).toFixed(1)} h`;
  return `${(seconds / 86_400).toFixed(1)} days`;
}

// As agents get it: the sentence, the code, and what to do next.
export function Failure({ error }: { error: Error }) {
  const code = error instanceof ServerError ? error.code : '';
  const hint = error instanceof ServerError ? error.hint : '';
  return (
    <div class="error" role="alert">
      <p>{error.message}{code && <> <code>{code}</code></>}</p>
      {hint && <p>{hint}</p>}
    </div>
  );
}

export function CostNote({ cost, tokens }: { cost?: Cost; tokens?: number }) {
  if (!cost) return null;
  return (
    <p class="note">
      {bytesText(cost.bytes)}, {Math.round(cost.ms)} ms{tokens === undefined ? '' : `, about ${grouped(tokens)} tokens`}
    </p>
  );
}

export function Main({ title, children, wide }: { title: string; children: ComponentChildren; wide?: boolean }) {
  return (
    <main id="main" tabIndex={-1} class={wide ? 'wide' : ''}>
      <h1>{title}</h1>
      {children}
    </main>
  );
}

export function Loading() {
  return <p class="note" role="status">Loading …</p>;
}
