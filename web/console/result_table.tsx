// A table over any number of rows: a few dozen rows of cells exist at a time, wherever in the result they are.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import { ResultRows, type Cell } from '../common/rows';
import { client } from './session';
import { Failure, grouped, Loading } from './parts';
import { report } from './use';

const ROW_PX = 26;
const HEIGHT_MAX_PX = 8_000_000;  // Some browsers draw nothing beyond twice that.
const ROWS_MAX = 60;
const COLUMNS_MAX = 50;

export function isNumeric(type: string): boolean {
  return /INT|DOUBLE|FLOAT|DECIMAL|REAL/i.test(type);
}

export function CellText({ value }: { value: Cell }) {
  if (value === null) return <span class="null">null</span>;
  if (value === '') return <span class="null">empty text</span>;
  const text = String(value);
  return text.trim() === '' ? <span class="null">{text.length} blanks</span> : <>{text}</>;
}

// Which row is at the top when the scroller is there. Above HEIGHT_MAX_PX, rows are mapped to the height.
export function firstRow(scrollTop: number, viewport: number, total: number): number {
  const height = Math.min(total * ROW_PX, HEIGHT_MAX_PX);
  if (total * ROW_PX <= HEIGHT_MAX_PX) return Math.floor(scrollTop / ROW_PX);
  const visible = Math.floor(viewport / ROW_PX) - 1;
  return Math.round((scrollTop / Math.max(1, height - viewport)) * Math.max(0, total - visible));
}
function scrollTopOf(row: number, viewport: number, total: number): number {
  const height = Math.min(total * ROW_PX, HEIGHT_MAX_PX);
  if (total * ROW_PX <= HEIGHT_MAX_PX) return row * ROW_PX;
  const visible = Math.floor(viewport / ROW_PX) - 1;
  return (row / Math.max(1, total - visible)) * (height - viewport);
}

export function ResultTable({ name }: { name: string }) {
  const [, setVersion] = useState(0);
  const [error, setError] = useState<Error>();
  const [first, setFirst] = useState(0);
  const [open, setOpen] = useState<{ row: number; column: number } | null>(null);
  const [whole, setWhole] = useState<Cell>();
  const scroller = useRef<HTMLDivElement>(null);
  const visible = useRef(20);
  const rows = useMemo(() => new ResultRows(client, name, (failure) => {
    if (failure) report(failure);
    setError(failure);
    setVersion((version) => version + 1);
  }), [name]);
  useEffect(() => {
    rows.show(0, 30);
    return () => rows.close();
  }, [rows]);
  useLayoutEffect(() => {
    if (scroller.current) visible.current = Math.min(ROWS_MAX, Math.ceil(scroller.current.clientHeight / ROW_PX) + 1);
  });

  const scrolled = () => {
    const box = scroller.current!;
    const next = Math.max(0, Math.min(firstRow(box.scrollTop, box.clientHeight, rows.total), Math.max(0, rows.total - 1)));
    setFirst(next);
    rows.show(next, Math.min(rows.total - 1, next + visible.current));
  };
  const goTo = (row: number) => {
    const box = scroller.current!;
    box.scrollTop = scrollTopOf(Math.max(0, Math.min(row, rows.total - 1)), box.clientHeight, rows.total);
    scrolled();
  };
  const openCell = async (row: number, column: number) => {
    setOpen({ row, column });
    setWhole(undefined);
    try {
      const answer = await client.readJsonResource(`sluice://result/${encodeURIComponent(name)}?offset=${row}&limit=1&cell=10000`);
      setWhole(answer.rows[0]?.[column] ?? null);
    } catch (failure) {
      report(failure as Error);
      setError(failure as Error);
    }
  };
  // Within the table, arrows move from cell to cell, Enter opens one, and Escape leaves.
  const keyedInCell = (event: KeyboardEvent, cell: HTMLTableCellElement) => {
    const row = cell.parentElement as HTMLTableRowElement;
    if (event.key === 'Enter') void openCell(Number(row.getAttribute('aria-rowindex')) - 2, cell.cellIndex - 1);
    const neighbours: Record<string, Element | null | undefined> = {
      ArrowLeft: cell.previousElementSibling, ArrowRight: cell.nextElementSibling,
      ArrowUp: (row.previousElementSibling as HTMLTableRowElement)?.cells[cell.cellIndex],
      ArrowDown: (row.nextElementSibling as HTMLTableRowElement)?.cells[cell.cellIndex],
      Escape: scroller.current,
    };
    const next = neighbours[event.key];
    if (next instanceof HTMLElement && next.tagName !== 'TH') next.focus();
    if (event.key in neighbours || event.key === 'Enter') event.preventDefault();
  };
  const keyed = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLTableCellElement) return keyedInCell(event, event.target);
    if (event.target !== scroller.current) return;
    if (event.key === 'Enter') scroller.current?.querySelector<HTMLElement>('tbody td')?.focus();
    const page = Math.max(1, visible.current - 3);
    const steps: Record<string, number> = { PageDown: page, PageUp: -page, ArrowDown: 1, ArrowUp: -1, Home: -rows.total, End: rows.total };
    const step = steps[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    goTo(first + step);
  };

  if (error && rows.columns.length === 0) return <Failure error={error} />;
  if (rows.columns.length === 0) return <Loading />;
  const columns = rows.columns.slice(0, COLUMNS_MAX);
  const last = Math.min(rows.total, first + visible.current);
  const shown = Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i);
  return (
    <div class="result">
      <div class="line">
        <span aria-live="polite">rows {grouped(rows.total === 0 ? 0 : first + 1)}–{grouped(Math.max(first, Math.min(rows.total, last - 1)))} of {grouped(rows.total)}</span>
        <span class="space" />
        <label for="go">Go to row</label>
        <input id="go" class="short" type="number" min={1} max={rows.total} value={first + 1}
          onChange={(event) => goTo(Number((event.target as HTMLInputElement).value) - 1)} />
      </div>
      {error && <Failure error={error} />}
      {rows.columns.length > COLUMNS_MAX && <p class="note">The first {COLUMNS_MAX} of {rows.columns.length} columns are shown; select fewer to see others.</p>}
      <div class="scroller rows" ref={scroller} tabIndex={0} role="region" aria-label={`Rows of ${name}`} onScroll={scrolled} onKeyDown={keyed}>
        <div class="spacer" style={{ height: `${Math.min(rows.total * ROW_PX, HEIGHT_MAX_PX) + ROW_PX}px` }}>
          <table aria-rowcount={rows.total + 1}>
            <thead>
              <tr aria-rowindex={1}>
                <th scope="col" class="index">row</th>
                {columns.map((column, at) => <th key={at} scope="col" class={isNumeric(column.type) ? 'number' : ''}>{column.name}<span class="type">{column.type}</span></th>)}
              </tr>
            </thead>
            <tbody>
              {shown.map((index) => {
                const row = rows.row(index);
                return (
                  <tr key={index} aria-rowindex={index + 2}>
                    <th scope="row" class="index">{grouped(index + 1)}</th>
                    {columns.map((column, at) => (
                      <td key={at} tabIndex={-1} class={isNumeric(column.type) ? 'number' : ''} onDblClick={() => openCell(index, at)}>
                        {row ? <CellText value={row[at]} /> : <span class="null">…</span>}
                      </td>
                    ))}
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      </div>
      {open && (
        <div class="cell" role="region" aria-label="Cell">
          <p class="line"><strong>{rows.columns[open.column].name}, row {grouped(open.row + 1)}</strong><span class="space" /><button type="button" onClick={() => setOpen(null)}>Close</button></p>
          <pre tabIndex={0}>{whole === undefined ? '…' : String(whole)}</pre>
        </div>
      )}
    </div>
  );
}
