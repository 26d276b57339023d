import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { useApp } from '../../app/app-context.ts';
import { toFragment } from '../../app/place.ts';
import { usePolled } from '../../app/use-polled.ts';
import type {
  ControlWebhooksListOutputWebhooksItem as EndpointRow,
  ControlWebhooksReadOutputMessagesItem as MessageRow,
} from '../../client/control.ts';
import { Badge } from '../../design/badge.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Failure, toSentence } from '../../design/failure.tsx';
import { type Column, LongTable } from '../../design/long-table.tsx';
import { Ago } from '../../design/time.tsx';
import { counted } from '../../design/words.ts';
import { EndpointFacts } from './endpoint-facts.tsx';
import { countDue, toMessageTone, toWhy } from './webhook-words.ts';

const everyMs = 2_000;

/** One endpoint with the messages that are kept of it. */
export function EndpointView({
  endpoint,
  refresh,
}: {
  readonly endpoint: EndpointRow;
  refresh(): void;
}): VNode {
  const { service, toasts } = useApp();
  const { id } = endpoint;
  const [asks, setAsks] = useState(false);
  const [sending, setSending] = useState<string | undefined>(undefined);
  const { value, error, ...polled } = usePolled(
    (signal) => service.control.webhooks.read({ id }, { signal }),
    { everyMs },
    [id],
  );
  const send = async (messageId?: string): Promise<void> => {
    if (sending !== undefined) return;
    setSending(messageId ?? '');
    try {
      const { redelivered } = await service.control.webhooks.redeliver(
        messageId === undefined ? { id } : { id, message_id: messageId },
      );
      toasts.say(
        redelivered === 0 ? 'Nothing was left to send.' : `${counted(redelivered, 'message')} on the way.`,
        redelivered === 0 ? 'plain' : 'good',
      );
    } catch (reason) {
      toasts.say(`It was not sent again. ${toSentence(reason)}`, 'bad');
    }
    setSending(undefined);
    polled.refresh();
    refresh();
  };
  const due = countDue(endpoint);
  const nothingToSend = sending !== undefined || (due === 0 && endpoint.state !== 'stopped');
  const messages = value?.messages;
  return (
    <>
      <header>
        <a href={toFragment('webhooks')}>← All endpoints</a>
        <h1>{id}</h1>
        <div class="more">
          <button
            type="button"
            class="button slight"
            aria-disabled={nothingToSend}
            onClick={() => setAsks(!nothingToSend)}
          >
            Send all again
          </button>
        </div>
      </header>
      <section class="card" aria-label="Endpoint">
        <EndpointFacts endpoint={endpoint} />
      </section>
      {error !== undefined && !messages && <Failure title="The messages could not be read" error={error} />}
      {messages?.length === 0 && <p class="soft">No message is kept of it.</p>}
      {messages && messages.length > 0 && (
        <LongTable
          label="Messages"
          rows={messages}
          columns={columnsOf(sending, (messageId) => void send(messageId))}
          keyOf={(one) => one.id}
        />
      )}
      {asks && (
        <Dialog title="Send all again?" onClose={() => setAsks(false)}>
          <p>
            {due === 0
              ? 'Nothing waits; the stop is lifted.'
              : `${counted(due, 'message')} that ${due === 1 ? 'waits or was' : 'wait or were'} given up, to ${endpoint.host}, now.`}{' '}
            A receiver may get one that it has already.
          </p>
          <button
            type="button"
            class="button primary"
            onClick={() => {
              setAsks(false);
              void send();
            }}
          >
            Send all again
          </button>
        </Dialog>
      )}
    </>
  );
}

function columnsOf(sending: string | undefined, send: (id: string) => void): readonly Column<MessageRow>[] {
  return [
    { name: 'Added', width: '5.5rem', cell: ({ added_at_ms: atMs }) => <Ago atMs={atMs} /> },
    {
      name: 'Type',
      width: 'minmax(5rem, 1fr)',
      extra: true,
      cell: ({ type, id }) => <span title={id}>{type ?? '–'}</span>,
    },
    { name: 'State', width: '7rem', cell: (row) => <Badge tone={toMessageTone(row)}>{row.state}</Badge> },
    { name: 'Tries', width: '4rem', numeric: true, extra: true, cell: ({ attempts }) => attempts },
    {
      name: 'Last answer',
      width: '5.5rem',
      numeric: true,
      extra: true,
      cell: ({ last_status: status }) => status ?? '–',
    },
    {
      name: 'Why not',
      width: 'minmax(5rem, 1.5fr)',
      extra: true,
      cell: ({ state, last_error: error, last_status: status }) =>
        state === 'delivered' ? '' : <span title={toWhy(error, status)}>{toWhy(error, status)}</span>,
    },
    {
      name: 'Next try',
      width: '5.5rem',
      extra: true,
      cell: ({ next_attempt_ms: atMs }) => (atMs === null ? '–' : <Ago atMs={atMs} />),
    },
    {
      name: 'Act',
      width: 'minmax(6.5rem, max-content)',
      cell: ({ id, type }) => (
        <button
          type="button"
          class="button slight"
          aria-disabled={sending !== undefined}
          aria-label={`Send again: ${type ?? 'message'} ${id}`}
          onClick={() => send(id)}
        >
          {sending === id ? 'Sending…' : 'Send again'}
        </button>
      ),
    },
  ];
}
