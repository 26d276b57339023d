import type { ListenError } from '@waymark/http';

/** How a program is told where to listen. */
export interface Spelling {
  /** What stands before an address: `--host `. */
  readonly host: string;
  /** What stands before a port: `--port `. */
  readonly port: string;
}

/** Somebody else's answer is waited for no longer. */
const patienceMs = 2_000;

/** An answer of ours is shorter. */
const maxHealthLength = 16_384;

/** Why an address could not be had and what to do, in one line; names the application that has it, where that is one of ours. */
export async function listenAdvice(error: ListenError, by: Spelling): Promise<string> {
  const { code, host, port, message } = error;
  if (code === 'EADDRINUSE') {
    const owner = await whoListens(host, port);
    return `${message}${owner === undefined ? '' : ` by the application "${owner}"`}; ${another(port + 1, by)}`;
  }
  // Ports that need a right are under 1024: 80 becomes 8080.
  if (code === 'EACCES') return `${message}; ${another(port + 8000, by)}`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `${message}; take ${by.host}127.0.0.1 for this machine alone, or ${by.host}0.0.0.0 for every address it has`;
  return message;
}

function another(port: number, by: Spelling): string {
  const free = `${by.port}0 for any that is free`;
  return port > 65_535 ? `take ${free}` : `take ${by.port}${port}, or ${free}`;
}

/** The name of the application that answers there, if it is one of ours with the usual control prefix. */
async function whoListens(host: string, port: number): Promise<string | undefined> {
  try {
    const response = await fetch(`http://${reachable(host)}:${port}/_svc/health`, {
      signal: AbortSignal.timeout(patienceMs),
      redirect: 'manual',
    });
    const length = Number(response.headers.get('content-length') ?? Number.NaN);
    if (!(length <= maxHealthLength)) {
      await response.body?.cancel();
      return undefined;
    }
    const { app } = (await response.json()) as { readonly app?: unknown };
    // It is printed on a terminal, and anybody may have sent it.
    return typeof app === 'string' && /^[^\p{C}]{1,100}$/u.test(app) ? app : undefined;
  } catch {
    // Not one of ours, or none that answers: nothing is known of it.
    return undefined;
  }
}

/** A wildcard is where to bind, not where to go. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
