import { freePort } from '@waymark/contract/testing';
import { startSimulator } from '@waymark/model-simulator';
import { type Program, startProgram } from '../test/program.ts';

/** The application of this folder, served by its command line, and who issues its tokens. */
export interface Desk {
  /** Where its MCP endpoint is. */
  readonly url: URL;
  readonly key: string;
  /** What the authorization server was asked for so far: a line of scopes each time. */
  readonly askedFor: () => readonly string[];
  /** Ends all of it. @returns the exit code of the application */
  stop(): Promise<number | null>;
}

const key = 'a-key-of-more-than-16-bytes';
const scopes = ['mcp', 'tickets:read', 'tickets:write', 'tickets:assign'];

/** Starts the application and an authorization server, each as a process of its own. */
export async function startDesk(): Promise<Desk> {
  const cwd = import.meta.dirname;
  const issuer = startProgram('e2e/mcp-peers/authorization-server.ts', { cwd, argv: scopes });
  const [, issuerUrl = ''] = await issuer.saying(/^issuer (.+)$/m);
  const models = await startSimulator({ anonymous: true });
  // Tokens name the address they are for, so it has to be known before.
  const port = await freePort();
  const url = new URL(`http://127.0.0.1:${port}/_svc/mcp`);
  const env = {
    DESK_KEY: key,
    ISSUER: issuerUrl,
    PUBLIC_URL: url.origin,
    MODELS: models.url,
    LOG_LEVEL: 'warn',
  };
  const argv = ['start', '--port', String(port)];
  const application = startProgram('apps/server/bin/waymark.js', { cwd, env, argv });
  await application.saying(/url +http/);
  return {
    url,
    key,
    askedFor: () => [...issuer.stdout().matchAll(/^asked for (.*)$/gm)].map(([, asked = '']) => asked),
    async stop() {
      const code = await end(application);
      await end(issuer);
      await models.close();
      return code;
    },
  };
}

function end(program: Program): Promise<number | null> {
  program.child.kill();
  return program.ended();
}

/** A port that nobody listens on, for those who must know it before they listen. */
