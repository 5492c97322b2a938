import { tokensOf, type Result } from '../common/mcp';
import { client } from './session';
import { Failure, grouped, Loading, Main } from './parts';
import { href } from './route';
import { useLoaded } from './use';

export function ToolsPage({ name }: { name: string }) {
  const tools = useLoaded((signal) => client.list('tools/list', 'tools', { signal }), []);
  const all: Result[] = tools.value ?? [];
  const one = all.find((tool) => tool.name === name);
  if (name && one) {
    return (
      <Main title={name}>
        <p>{one.description}</p>
        <p class="note">about {grouped(tokensOf(JSON.stringify(one)))} tokens of definition; {one.annotations?.readOnlyHint ? 'only reads' : 'may change data'}</p>
        <pre tabIndex={0}>{JSON.stringify(one.inputSchema, null, 2)}</pre>
      </Main>
    );
  }
  return (
    <Main title={name ? `No tool is called ${name}` : 'Tools'}>
      {tools.isLoading && <Loading />}
      {tools.error && <Failure error={tools.error} />}
      {tools.value && (
        <>
          <p class="note">{all.length} tools, about {grouped(tokensOf(JSON.stringify(all)))} tokens of definitions</p>
          <div class="scroller" tabIndex={0} role="region" aria-label="Tools">
            <table class="list">
              <thead><tr><th scope="col">Tool</th><th scope="col" class="number">Tokens</th><th scope="col">What it does</th></tr></thead>
              <tbody>
                {all.map((tool) => (
                  <tr key={tool.name}>
                    <th scope="row"><a href={href('tools', tool.name)}>{tool.name}</a></th>
                    <td class="number">{grouped(tokensOf(JSON.stringify(tool)))}</td>
                    <td>{tool.description}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </Main>
  );
}
