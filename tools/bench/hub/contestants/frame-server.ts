import { createServer, type Server } from 'node:http';
import { device } from '../jobs.ts';

/** A frame as every hub by hand gives it out. */
export interface EncodedFrame {
  /** What is said of it before it comes. */
  readonly header: string;
  readonly bytes: Buffer;
}

/** node:http and nothing else: takes `POST …/frames` whole, and tells at `GET /rss` how much memory it has. */
export function frameServer(publish: (frame: EncodedFrame) => void): Server {
  let seq = 0;
  return createServer((req, res) => {
    if (req.url === '/rss') {
      res.end(String(process.memoryUsage.rss()));
      return;
    }
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const bytes = Buffer.concat(chunks);
      seq++;
      publish({ header: headerOf(seq, bytes), bytes });
      const text = JSON.stringify({ device, seq });
      res.writeHead(202, ['content-type', 'application/json', 'content-length', String(text.length)]);
      res.end(text);
    });
  });
}

function headerOf(seq: number, bytes: Buffer): string {
  return JSON.stringify({
    type: 'frame',
    seq,
    media_type: 'image/jpeg',
    bytes: bytes.length,
    at_ms: Date.now(),
  });
}
