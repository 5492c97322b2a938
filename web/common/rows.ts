// The rows of a result, a page at a time. Pages are kept up to a bound; what is out of view is not waited for.
import type { McpClient } from './mcp';

export interface Column {
  name: string;
  type: string;
}
export type Cell = string | number | boolean | null;

interface Page {
  rows: Cell[][];
  cells: number;
}

const PAGE_ROWS = 200;
const CELLS_MAX = 200_000;

export class ResultRows {
  columns: Column[] = [];
  total = 0;
  private readonly pages = new Map<number, Page>();
  private readonly underWay = new Map<number, AbortController>();

  constructor(private readonly client: McpClient, readonly name: string, private readonly changed: (error?: Error) => void) {}

  row(index: number): Cell[] | undefined {
    const page = this.pages.get(Math.floor(index / PAGE_ROWS));
    return page?.rows[index % PAGE_ROWS];
  }

  // Loads what is missing of the rows from `first` to `last`, and gives up what is elsewhere.
  show(first: number, last: number): void {
    const begin = Math.floor(first / PAGE_ROWS);
    const end = Math.floor(Math.max(first, last) / PAGE_ROWS);
    for (const [page, controller] of this.underWay) {
      if (page < begin || page > end) controller.abort();
    }
    for (let page = begin; page <= end; ++page) {
      const known = this.pages.get(page);
      if (known) {  // The most recent ones are last.
        this.pages.delete(page);
        this.pages.set(page, known);
      } else if (!this.underWay.has(page)) {
        void this.load(page);
      }
    }
  }

  close(): void {
    for (const controller of this.underWay.values()) controller.abort();
  }

  private async load(page: number): Promise<void> {
    const controller = new AbortController();
    this.underWay.set(page, controller);
    try {
      const rows: Cell[][] = [];
      // A page of long rows comes in several answers.
      for (let more = true; more;) {
        const offset = page * PAGE_ROWS + rows.length;
        const uri = `sluice://result/${encodeURIComponent(this.name)}?offset=${offset}&limit=${PAGE_ROWS - rows.length}`;
        const answer = await this.client.readJsonResource(uri, { signal: controller.signal });
        this.columns = answer.columns;
        this.total = answer.total;
        rows.push(...answer.rows);
        more = answer.rows.length > 0 && rows.length < PAGE_ROWS && page * PAGE_ROWS + rows.length < this.total;
      }
      this.pages.set(page, { rows, cells: rows.length * this.columns.length });
      this.evict();
      this.changed();
    } catch (error) {
      if (!controller.signal.aborted) this.changed(error as Error);
    } finally {
      this.underWay.delete(page);
    }
  }

  private evict(): void {
    let cells = 0;
    for (const page of this.pages.values()) cells += page.cells;
    for (const [key, page] of this.pages) {
      if (cells <= CELLS_MAX || this.pages.size <= 3) break;
      cells -= page.cells;
      this.pages.delete(key);
    }
  }
}
