import type { RequestListener } from 'node:http';
import { HTTPError, type Values } from '@waymark/contract';
import { type Authenticate, anonymous } from '@waymark/contract/principal';
import { onTestFinished } from 'vitest';
import {
  createDoor,
  type Door,
  type DoorOptions,
  type Listening,
  type ListenOptions,
  listen,
} from '../src/index.ts';
import { type FakeDispatcher, type FakeRoute, fakeDispatcher } from './fake-dispatcher.ts';

/** One line that a door was told to log. */
export interface LoggedLine {
  readonly level: string;
  readonly message: string;
  readonly fields: Values;
}

/** A door over a fake table, open on a free port until the test ends. */
export interface OpenDoor extends Listening {
  readonly door: Door;
  readonly dispatcher: FakeDispatcher;
  readonly logs: readonly LoggedLine[];
  /** Resolves with the first line that fits, logged already or later. */
  logged(fits: (line: LoggedLine) => boolean): Promise<LoggedLine>;
}

/** The key `good` is `alice`; none is anonymous; any other is wrong. */
export const keys: Authenticate = ({ headers, accessToken }) => {
  const key = headers['x-api-key'] ?? accessToken;
  if (key === undefined && headers['authorization'] === undefined)
    return { ok: true, principal: anonymous() };
  if (key !== 'good') return { ok: false, error: new HTTPError(401, 'the credential is not valid') };
  return { ok: true, principal: { id: 'alice', rootId: 'alice', authenticated: true, scopes: [] } };
};

export async function openDoor(
  routes: readonly FakeRoute[] = [],
  options: Partial<DoorOptions & ListenOptions & { fallback: RequestListener }> = {},
): Promise<OpenDoor> {
  const dispatcher = fakeDispatcher(routes);
  const logs: LoggedLine[] = [];
  const waiting: ((line: LoggedLine) => void)[] = [];
  let ids = 0;
  const door = createDoor({
    dispatcher,
    authenticate: keys,
    newId: () => `id-${++ids}`,
    log: (level, message, fields = {}) => {
      const line = { level, message, fields };
      logs.push(line);
      for (const tell of [...waiting]) tell(line);
    },
    ...options,
  });
  const { fallback, listener, handOver, heldAt, requestTimeoutMs, shutdownTimeoutMs = 5000 } = options;
  const server = await listen(door, {
    host: '127.0.0.1',
    port: 0,
    shutdownTimeoutMs,
    ...(fallback && { fallback }),
    ...(listener && { listener }),
    ...(handOver && { handOver }),
    ...(heldAt && { heldAt }),
    ...(requestTimeoutMs !== undefined && { requestTimeoutMs }),
  });
  // Not waited for: a server listens for a tenth of a second more, which would be most of the time of these tests.
  onTestFinished(() => void server.close());
  return {
    ...server,
    door,
    dispatcher,
    logs,
    logged: (fits) =>
      new Promise((resolve) => {
        const found = logs.find(fits);
        if (found) resolve(found);
        else waiting.push((line) => fits(line) && resolve(line));
      }),
  };
}
