import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

/** What is needed to decide. */
export interface ApproverOptions {
  /** What messages are signed with. */
  readonly secret: string;
  /** Euros that need no human. */
  readonly most: number;
  /** Server that asks, and the key to answer with. */
  readonly url: string;
  readonly key: string;
}

/** A program that decides. */
export interface Approver {
  /** Address that messages are sent to. */
  readonly hook: string;
  readonly key: string;
  /** Where the server is, once it is known better. */
  url: string;
}

interface Message {
  readonly type: string;
  readonly data: {
    readonly approval_id: string;
    readonly tool: string;
    readonly arguments: { readonly euros?: number };
  };
}

/** Starts it. It ends with its process. */
export async function startApprover({ secret, most, url, key }: ApproverOptions): Promise<Approver> {
  const webhook = new Webhook(secret.replace('whsec_', ''));
  const server = createServer((request, response) => {
    void text(request)
      .then((body) => webhook.verify(body, request.headers as Record<string, string>) as Message)
      .then(
        (message) => {
          // Told first, decided then: a message that was taken does not come again.
          response.writeHead(204).end();
          return decide(message);
        },
        () => void response.writeHead(400).end(),
      )
      .catch((error: unknown) => console.error('could not decide', error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const approver = { hook: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, key, url };
  const decide = async ({ data }: Message): Promise<void> => {
    const { approval_id: id, tool, arguments: given } = data;
    if (tool !== 'refund_order' || (given.euros ?? Number.POSITIVE_INFINITY) > most) return;
    await fetch(`${approver.url}/_svc/approvals/${id}`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ approve: true, note: `at most ${most} euros` }),
    });
  };
  return approver;
}
