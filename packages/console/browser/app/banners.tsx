import type { VNode } from 'preact';
import { useApp } from './app-context.ts';

/** What is true of the whole service and must not be missed on any page. */
export function Banners(): VNode | null {
  const { connection } = useApp();
  const health = connection.health.value;
  if (connection.state.value === 'lost')
    return (
      <div class="banner" data-tone="bad" role="alert">
        The service does not answer. What you see is as it was; it is tried again every second.
      </div>
    );
  const halted = health?.['halted'];
  if (halted !== undefined && halted !== false && halted !== null)
    return (
      <div class="banner" data-tone="bad" role="alert">
        <strong>Halted.</strong> Nothing that moves things is carried out{toReason(halted)}.
      </div>
    );
  if (health?.status === 'degraded')
    return (
      <div class="banner" role="status">
        <strong>Degraded.</strong>
        {health.troubles.map(({ code, message }) => (
          <span key={`${code} ${message}`}>{message}</span>
        ))}
      </div>
    );
  return null;
}

function toReason(halted: unknown): string {
  const reason = typeof halted === 'object' && halted !== null && 'reason' in halted ? halted.reason : halted;
  return typeof reason === 'string' && reason !== '' ? `: ${reason}` : '';
}
