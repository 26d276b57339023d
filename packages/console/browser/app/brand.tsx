import type { VNode } from 'preact';
import { useApp } from './app-context.ts';

/** The application, and whether it is well. */
export function Brand(): VNode {
  const { connection, live } = useApp();
  const health = connection.health.value;
  const { tone, word } = standing(connection.state.value, health?.status, live.open.value);
  return (
    <div class="brand">
      <span class="row">
        <span class="dot" data-tone={tone} title={word} />
        <span class="name cut" title={health?.app}>
          {health?.app ?? 'Console'}
        </span>
      </span>
      <span class="small soft cut" role="status">
        {health ? `${health.version} · ${word}` : word}
      </span>
    </div>
  );
}

function standing(
  state: 'connecting' | 'live' | 'lost',
  status: 'ok' | 'degraded' | 'draining' | undefined,
  live: boolean,
): { readonly tone: string; readonly word: string } {
  if (state === 'connecting') return { tone: 'busy', word: 'connecting' };
  if (state === 'lost') return { tone: 'bad', word: 'not reachable' };
  if (status === 'degraded') return { tone: 'warn', word: 'degraded' };
  return { tone: 'good', word: live ? 'live' : 'connected' };
}
