import { useEffect, useRef, useState } from 'preact/hooks';

import { SignedOut, type Cost } from '../common/mcp';
import { client } from './session';

export interface Loaded<T> {
  value?: T;
  error?: Error;
  isLoading: boolean;
  cost?: Cost;
}

export function report(error: Error): void {
  if (error instanceof SignedOut) dispatchEvent(new Event('sluice-signed-out'));
}

// What `load` gives, anew whenever one of `inputs` changes. What was asked before is cancelled.
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, inputs: unknown[]): Loaded<T> {
  const [state, setState] = useState<Loaded<T>>({ isLoading: true });
  useEffect(() => {
    const controller = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    load(controller.signal).then(
      (value) => { if (!controller.signal.aborted) setState({ value, isLoading: false, cost: { ...client.lastCost } }); },
      (error) => {
        if (controller.signal.aborted) return;
        report(error);
        setState({ error, isLoading: false });
      });
    return () => controller.abort();
  }, inputs);
  return state;
}

// A value once it has not changed for a while.
export function useSettled<T>(value: T, waitMs: number): T {
  const [settled, setSettled] = useState(value);
  const first = useRef(true);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return undefined;
    }
    const timer = setTimeout(() => setSettled(value), waitMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
