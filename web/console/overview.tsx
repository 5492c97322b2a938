import { client, keptNames } from './session';
import { CostNote, durationText, Failure, grouped, Loading, Main } from './parts';
import { href } from './route';
import { useLoaded } from './use';

function Figure({ value, label }: { value: string; label: string }) {
  return <div class="figure"><dt>{label}</dt><dd>{value}</dd></div>;
}

export function Overview() {
  const server = useLoaded((signal) => client.readJsonResource('sluice://server', { signal }), []);
  const tables = useLoaded((signal) => client.callTool('catalog', {}, { signal }), []);
  return (
    <Main title="Overview">
      {server.isLoading && <Loading />}
      {server.error && <Failure error={server.error} />}
      {server.value && (
        <dl class="figures">
          <Figure label="Version" value={server.value.version} />
          <Figure label="Running for" value={durationText(server.value.uptime_s)} />
          <Figure label="Tables" value={grouped(server.value.datasets)} />
          <Figure label="Results in this tab" value={grouped(keptNames().length)} />
        </dl>
      )}
      <section aria-labelledby="tables">
        <h2 id="tables">Tables</h2>
        {tables.error && <Failure error={tables.error} />}
        {tables.value && <TableList text={tables.value.content[0].text} />}
        <CostNote cost={tables.cost} />
      </section>
    </Main>
  );
}

interface TableLine {
  name: string;
  rows: string;
  about: string;
}

// The lines of the tool `catalog`: NAME ROWS: columns.
export function tableLines(text: string): { tables: TableLine[]; remarks: string[] } {
  const tables: TableLine[] = [];
  const remarks: string[] = [];
  for (const line of text.split('\n')) {
    const found = /^("(?:[^"]|"")+"|\S+) (~?\d+)(?: rows?)?(?:: (.*))?$/.exec(line);
    if (found) tables.push({ name: found[1], rows: found[2], about: found[3] ?? '' });
    else if (line.trim()) remarks.push(line.replace(/^# ?/, ''));
  }
  return { tables, remarks };
}

export function TableList({ text }: { text: string }) {
  const { tables, remarks } = tableLines(text);
  return (
    <>
      <ul class="tables">
        {tables.map((table) => (
          <li key={table.name}>
            <a href={href('data', table.name)}>{table.name}</a> <span class="count">{table.rows.replace(/\d+/, (digits) => grouped(Number(digits)))} rows</span>
            {table.about && <p class="note">{table.about}</p>}
          </li>
        ))}
      </ul>
      {remarks.map((remark) => <p class="note" key={remark}>{remark}</p>)}
    </>
  );
}
