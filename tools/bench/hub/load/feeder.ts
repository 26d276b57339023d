import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { device, type HubAddress, keys } from '../jobs.ts';
import { deferred } from './deferred.ts';
import { connectPacket, publishHead } from './mqtt-packets.ts';

/** A camera on a connection of its own. */
export interface Feeder {
  /** Resolves when the hub has taken the frame: not before the next one may be sent. @param to the watched one otherwise */
  send(frame: Buffer, to?: string): Promise<void>;
  close(): void;
}

/** Connects a camera: by POST, or by PUBLISH to a broker. */
export async function connectFeeder({ url, wire }: HubAddress): Promise<Feeder> {
  const { hostname, port, host } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.setNoDelay(true);
  await once(socket, 'connect');
  return wire === 'mqtt' ? publisher(socket) : poster(socket, host);
}

function publisher(socket: Socket): Feeder {
  socket.write(connectPacket());
  socket.resume();
  return {
    send(frame) {
      socket.cork();
      socket.write(publishHead(device, frame.length));
      const written = new Promise<void>((resolve, reject) => {
        socket.write(frame, (error) => (error ? reject(error) : resolve()));
      });
      socket.uncork();
      return written;
    },
    close: () => void socket.destroy(),
  };
}

function poster(socket: Socket, host: string): Feeder {
  let answer = '';
  let waiting = deferred<void>();
  let write = (): void => {};
  socket.on('data', (chunk: Buffer) => {
    answer += chunk.toString('latin1');
    const end = answer.indexOf('\r\n\r\n');
    const length = /^content-length: (\d+)/im.exec(answer.slice(0, end))?.[1];
    if (end === -1 || answer.length < end + 4 + Number(length ?? 0)) return;
    const whole = answer;
    answer = '';
    if (whole.startsWith('HTTP/1.1 202')) waiting.resolve();
    // Two came within a millisecond: one is too many for a rate that is a ceiling.
    else if (whole.startsWith('HTTP/1.1 429')) setTimeout(write, 1);
    else waiting.reject(new Error(`the hub refused a frame: ${whole}`));
  });
  socket.on('error', (error) => waiting.reject(error));
  socket.on('close', () => waiting.reject(new Error('the hub closed the connection of the camera')));
  return {
    send(frame, to = device) {
      waiting = deferred();
      const lines = [
        `POST /devices/${to}/frames HTTP/1.1`,
        `host: ${host}`,
        `x-api-key: ${keys.ingest}`,
        'content-type: image/jpeg',
        `content-length: ${frame.length}`,
      ];
      write = () => {
        socket.cork();
        socket.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
        socket.write(frame);
        socket.uncork();
      };
      write();
      return waiting.promise;
    },
    close() {
      // Nobody waits for an answer any more.
      waiting.promise.catch(() => {});
      socket.destroy();
    },
  };
}
