import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Takes a connection that node handed out behind the head of a request, and leaves what it holds unread. The answers before
 * it go on; node no longer tells them what they wait for.
 */
export function keepAnswering(socket: Duplex): void {
  // Node keeps the answer under way there.
  const line = socket as Duplex & { readonly _httpMessage?: ServerResponse | null };
  socket
    .on('drain', () => line._httpMessage?.emit('drain'))
    .on('timeout', () => {
      // Nobody is waited for while an answer is not ready.
      if (socket.writableLength > 0) socket.destroy();
    })
    // It is cut; `close` tells the answers.
    .on('error', () => {});
}
