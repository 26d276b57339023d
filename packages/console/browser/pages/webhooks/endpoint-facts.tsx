import type { VNode } from 'preact';
import type { ControlWebhooksListOutputWebhooksItem as EndpointRow } from '../../client/control.ts';
import { Badge } from '../../design/badge.tsx';
import { Ago } from '../../design/time.tsx';
import { toCount } from '../../design/words.ts';
import { toEndpointState, toWhy } from './webhook-words.ts';

/** How it goes with an endpoint. */
export function EndpointFacts({ endpoint }: { readonly endpoint: EndpointRow }): VNode {
  const { state, host, signed, events, last_status: status, last_error: error, dropped } = endpoint;
  const [tone, says] = toEndpointState(endpoint);
  return (
    <dl class="pairs">
      <dt>State</dt>
      <dd>
        <Badge tone={tone}>{state}</Badge> {says}
      </dd>
      <dt>Host</dt>
      <dd>
        {host}, {signed ? 'signed' : <span class="warn">not signed: a receiver cannot tell who sends</span>}
      </dd>
      {events && events.length > 0 && (
        <>
          <dt>Is told of</dt>
          <dd>{events.map((one) => one.replaceAll('_', ' ')).join(', ')}</dd>
        </>
      )}
      <dt>Last</dt>
      <dd>
        {endpoint.last_at_ms === null ? (
          'nothing was sent yet'
        ) : (
          <>
            {status ?? 'no answer'}, <Ago atMs={endpoint.last_at_ms} />
            {error !== null && <span class="bad">: {toWhy(error, status)}</span>}
          </>
        )}
      </dd>
      {endpoint.next_attempt_ms !== null && (
        <>
          <dt>Next try</dt>
          <dd>
            <Ago atMs={endpoint.next_attempt_ms} />
          </dd>
        </>
      )}
      <dt>Messages</dt>
      <dd>
        {toCount(endpoint.queued)} waiting, {toCount(endpoint.failed)} given up, {toCount(endpoint.delivered)}{' '}
        delivered
        {dropped > 0 && <span class="bad">, {toCount(dropped)} went unsent because too many waited</span>}
      </dd>
    </dl>
  );
}
