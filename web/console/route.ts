// Addresses are fragments: #/data/NAME?x=1. Back and links work without a server.
import { useEffect, useState } from 'preact/hooks';

export interface Route {
  page: string;
  name: string;
  query: URLSearchParams;
}

export function parse(hash: string): Route {
  const [path, query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [page = '', ...rest] = path.split('/');
  let name = rest.join('/');
  try {
    name = decodeURIComponent(name);
  } catch {
    // A fragment that somebody has typed.
  }
  return { page, name, query: new URLSearchParams(query) };
}

export function href(page: string, name = '', query: Record<string, string> = {}): string {
  const text = new URLSearchParams(query).toString();
  return '#/' + page + (name ? '/' + encodeURIComponent(name) : '') + (text ? '?' + text : '');
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return parse(hash);
}
