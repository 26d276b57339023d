import type {
  ControlWebhooksListOutputWebhooksItem as EndpointRow,
  ControlWebhooksReadOutputMessagesItem as MessageRow,
} from '../../client/control.ts';
import type { Tone } from '../../design/tone.ts';

const endpointStates: Readonly<Record<string, readonly [Tone, string]>> = {
  ok: ['good', 'What is sent arrives.'],
  retrying: ['warn', 'Something did not arrive and is tried again; the rest goes on.'],
  failing: ['bad', 'Three in a row did not arrive: one at a time is tried until one does.'],
  stopped: ['bad', 'It answered 410: nothing is sent until somebody sends again.'],
  idle: ['idle', 'Nothing was sent to it yet.'],
};

/** What a state of an endpoint means. */
export function toEndpointState({ state }: Pick<EndpointRow, 'state'>): readonly [Tone, string] {
  return endpointStates[state] ?? ['idle', ''];
}

const messageTones: Readonly<Record<string, Tone>> = {
  ...{ waiting: 'warn', delivered: 'good', failed: 'bad' },
};

/** How the state of a message looks. */
export function toMessageTone({ state }: Pick<MessageRow, 'state'>): Tone {
  return messageTones[state] ?? 'idle';
}

const errors: Readonly<Record<string, string>> = {
  answer: 'it answered with an error',
  redirect: 'it led elsewhere, and redirects are not followed',
  gone: 'it answered 410 and wants no more',
  timeout: 'it did not answer within 20 s',
  unreachable: 'nobody answers there',
  address: 'its address is that of a metadata service, which is refused',
  secret: 'the variable of its secret or token is not set',
  size: 'the message is larger than 20 kB',
  expired: 'it was tried for 24 h',
};

/** Why something did not arrive, in a sentence; a word that nobody knows here is told as it is. */
export function toWhy(error: string | null, status: number | null): string {
  if (error === null) return status === null ? '' : `it answered ${status}`;
  const words = Object.hasOwn(errors, error) ? errors[error] : error;
  return error === 'answer' && status !== null ? `it answered ${status}` : (words ?? error);
}

/** What `redeliver` of a whole endpoint would send. */
export function countDue({ queued, failed }: Pick<EndpointRow, 'queued' | 'failed'>): number {
  return queued + failed;
}
