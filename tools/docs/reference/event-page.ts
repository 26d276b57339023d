import { notifyEvents } from '@waymark/outbox';
import { eventTypes } from '../../../packages/client-gen/src/runtime/devices.ts';
import { feedTypes } from '../../../packages/control-plane/src/feed/feed-event.ts';
import { type Page, toPage } from '../page.ts';

/** What the service tells, and to whom. */
export function eventPage(): Page {
  const list = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(', ');
  return toPage({
    path: 'reference/events',
    section: 'Reference',
    markdown: `# Events

What a server tells as it happens, and where it is heard. Each is JSON; the members of each are in the README of the package that sends it.

| where | types | more |
|---|---|---|
| the live feed, \`GET /_svc/events\` (server-sent events, for \`svc:admin\`; \`kinds=run,approval\` takes some) | ${list(feedTypes)} | [control plane](../../packages/control-plane/README.md) |
| the stream of a device, \`/devices/<name>/stream\` (WebSocket alone, else 426; as server-sent events insights are in the live feed, \`kinds=insight\`) | ${list(eventTypes)} | [device hub](../../packages/device-hub/README.md) |
| webhooks of \`notify\` | ${list(notifyEvents)} | [outbox](../../packages/outbox/README.md), [webhooks](../how-to/webhooks.md) |
| the webhook of a watcher | \`insight\` | [watchers](../../packages/watchers/README.md) |
| the steps of a run, \`Accept: text/event-stream\` on an agent, behaviour or flow | what the run does, then \`result\` | [runs](../../packages/runs/README.md) |
| a route that is an async generator | its own \`yield\`s | [server](../../apps/server/README.md#handlers) |
`,
  });
}
