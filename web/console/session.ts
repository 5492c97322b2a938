// Who is signed in: a token in the storage of this tab, never in a cookie.
import { McpClient } from '../common/mcp';

const STORED = 'sluice.token';

export interface SignIn {
  token: string;
  principal: string;
}

let failure = '';
export const signInFailure = (): string => failure;

export const token = (): string | null => sessionStorage.getItem(STORED);
export const principal = (): string => sessionStorage.getItem(STORED + '.principal') ?? '';

const base = new URL('./', location.href);
base.hash = '';
const endpoint = document.documentElement.dataset.mcp ?? '/mcp';
export const client = new McpClient(endpoint, token);

async function post(path: string, body: object): Promise<Response> {
  const headers: Record<string, string> = { 'Content-Type': 'application/json' };
  const known = token();
  if (known) headers.Authorization = `Bearer ${known}`;
  return fetch(new URL(path, base), { method: 'POST', headers, credentials: 'omit', body: JSON.stringify(body) });
}

function keep(answer: SignIn): void {
  sessionStorage.setItem(STORED, answer.token);
  sessionStorage.setItem(STORED + '.principal', answer.principal);
}

export async function begin(key: string | undefined): Promise<void> {
  if (!key) return;
  forget();
  try {
    const response = await post('sign-in', { key });
    if (response.ok) keep(await response.json());
    else failure = 'This link has been used already, or it is too old. Ask for a new one.';
  } catch {
    failure = 'The server does not answer.';
  }
}

// A token that also opens MCP.
export async function useToken(text: string): Promise<boolean> {
  keep({ token: text, principal: '' });
  try {
    await client.request('server/discover');
    return true;
  } catch (error) {
    forget();
    failure = (error as Error).message;
    return false;
  }
}

// The names of results that this tab has asked for, the newest first.
const NAMES = STORED + '.results';
const NAMES_MAX = 50;

export function keptNames(): string[] {
  try {
    return JSON.parse(sessionStorage.getItem(NAMES) ?? '[]');
  } catch {
    return [];
  }
}
export function keepName(name: string): void {
  sessionStorage.setItem(NAMES, JSON.stringify([name, ...keptNames().filter((one) => one !== name)].slice(0, NAMES_MAX)));
}
export function forgetName(name: string): void {
  sessionStorage.setItem(NAMES, JSON.stringify(keptNames().filter((one) => one !== name)));
}

function forget(): void {
  sessionStorage.removeItem(NAMES);
  sessionStorage.removeItem(STORED);
  sessionStorage.removeItem(STORED + '.principal');
}

export async function signOut(): Promise<void> {
  try {
    await post('sign-out', {});
  } finally {
    forget();
  }
}
