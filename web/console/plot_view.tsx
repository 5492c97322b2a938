import { useEffect, useRef, useState } from 'preact/hooks';

import { svgOf } from '../common/svg';
import { client } from './session';
import { isDark } from './app';
import { CostNote, Failure, Loading } from './parts';
import { useLoaded } from './use';

const KINDS = ['', 'bar', 'line', 'area', 'point', 'histogram', 'heatmap'];

function save(name: string, blob: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// A picture of a result, drawn by the server.
export function PlotView({ result, columns }: { result: string; columns: string[] }) {
  const [choice, setChoice] = useState<Record<string, string>>({});
  const [dark, setDark] = useState(isDark());
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const changed = () => setDark(isDark());
    addEventListener('sluice-theme', changed);
    return () => removeEventListener('sluice-theme', changed);
  }, []);
  const width = Math.max(320, Math.min(1568, Math.round((document.getElementById('main')?.clientWidth ?? 800) - 32)));
  const args: Record<string, string | number> = { sql: `SELECT * FROM ${result}`, theme: dark ? 'dark' : 'light', width, height: Math.max(260, Math.round(width * 0.5)) };
  for (const [name, value] of Object.entries(choice)) if (value) args[name] = value;
  const drawn = useLoaded((signal) => client.callTool('plot', { ...args, format: 'svg' }, { signal }), [JSON.stringify(args)]);
  const text: string = drawn.value?.content?.[0]?.text ?? '';
  const svg: string = drawn.value?.content?.[1]?.resource?.text ?? '';
  useEffect(() => {
    const node = svg ? svgOf(svg) : null;
    place.current?.replaceChildren(...(node ? [node] : []));
  }, [svg]);
  const savePng = async () => {
    const answer = await client.callTool('plot', { ...args, format: 'png' });
    const bytes = Uint8Array.from(atob(answer.content[1]?.data ?? ''), (c) => c.charCodeAt(0));
    save('plot.png', new Blob([bytes], { type: 'image/png' }));
  };
  const select = (name: string, label: string, values: string[], none: string) => (
    <label>{label} <select value={choice[name] ?? ''} onChange={(event) => setChoice({ ...choice, [name]: (event.target as HTMLSelectElement).value })}>
      {values.map((value) => <option key={value} value={value}>{value || none}</option>)}
    </select></label>
  );
  return (
    <div class="plot">
      <div class="line">
        {select('kind', 'Kind', KINDS, 'as fits')}
        {select('x', 'x', ['', ...columns], 'first')}
        {select('y', 'y', ['', ...columns], 'first number')}
        {select('series', 'Series', ['', ...columns], 'none')}
        {select('fn', 'Fold', ['', 'sum', 'avg', 'min', 'max', 'median', 'count'], 'none')}
        <span class="space" />
        <button type="button" disabled={!svg} onClick={() => save('plot.svg', new Blob([svg], { type: 'image/svg+xml' }))}>Save SVG</button>
        <button type="button" disabled={!svg} onClick={savePng}>Save PNG</button>
      </div>
      {drawn.isLoading && <Loading />}
      {drawn.error && <Failure error={drawn.error} />}
      <div ref={place} class="picture" />
      {text && <p class="note">{text.split('\n')[0].replace(/^# /, '')}</p>}
      <CostNote cost={drawn.cost} />
    </div>
  );
}
