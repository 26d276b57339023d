import { deafPort, rawUpstream, sayingUpstream, type Upstream } from './proxy-upstreams.ts';

/** One way in which an upstream can fail a request, and what its caller is answered. */
export interface Failure {
  readonly name: string;
  readonly upstream: () => Promise<Pick<Upstream, 'url'> & Partial<Upstream>>;
  /** `cut`: a status 200, and then the connection is cut. */
  readonly outcome: 502 | 504 | 'cut';
  /** The time that the upstream has; more than it takes, unless silence is the failure. */
  readonly timeoutMs: number;
}

const plenty = { timeoutMs: 60_000 };
const little = { timeoutMs: 500 };

const head = (length: number): string => `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`;
const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

/** All ways there are. */
export const failures: readonly Failure[] = [
  {
    name: 'nobody listens',
    upstream: async () => ({ url: `http://127.0.0.1:${await deafPort()}` }),
    outcome: 502,
    ...plenty,
  },
  {
    name: 'the connection is reset',
    upstream: () => rawUpstream((socket) => socket.once('data', () => socket.resetAndDestroy())),
    outcome: 502,
    ...plenty,
  },
  {
    name: 'the connection ends without an answer',
    upstream: () => rawUpstream((socket) => socket.once('data', () => socket.end())),
    outcome: 502,
    ...plenty,
  },
  {
    name: 'half a head',
    upstream: () => sayingUpstream('HTTP/1.1 200 O', (s) => s.destroy()),
    outcome: 502,
    ...plenty,
  },
  {
    name: 'what is no HTTP',
    upstream: () => sayingUpstream('secret-words\r\n\r\n'),
    outcome: 502,
    ...plenty,
  },
  {
    name: 'an upgrade unasked',
    upstream: () => sayingUpstream('HTTP/1.1 101 Go\r\nUpgrade: x\r\n\r\n'),
    outcome: 502,
    ...plenty,
  },
  {
    name: 'a status that is none',
    upstream: () => sayingUpstream('HTTP/1.1 999 No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'),
    outcome: 502,
    ...plenty,
  },
  {
    name: 'half of a short answer',
    upstream: () => sayingUpstream(`${head(100)}half`, (socket) => socket.destroy()),
    outcome: 502,
    ...plenty,
  },
  {
    name: 'half of a long answer',
    upstream: () => sayingUpstream(`${head(200_000)}half`, (socket) => socket.destroy()),
    outcome: 'cut',
    ...plenty,
  },
  {
    name: 'half of a chunked answer, reset',
    upstream: () => sayingUpstream(`${chunked}4\r\nhalf\r\n`, (socket) => socket.resetAndDestroy()),
    outcome: 'cut',
    ...plenty,
  },
  {
    name: 'half of a chunked answer, ended politely',
    upstream: () => sayingUpstream(`${chunked}4\r\nhalf\r\n`, (socket) => socket.end()),
    outcome: 'cut',
    ...plenty,
  },
  {
    name: 'a broken chunk',
    upstream: () => sayingUpstream(`${chunked}4\r\nhalf\r\nzz\r\n`),
    outcome: 'cut',
    ...plenty,
  },
  { name: 'silence', upstream: () => rawUpstream((socket) => void socket.resume()), outcome: 504, ...little },
  {
    name: 'silence after half a head',
    upstream: () => sayingUpstream('HTTP/1.1 200 OK\r\nX-A'),
    outcome: 504,
    ...little,
  },
  {
    name: 'silence in a short answer',
    upstream: () => sayingUpstream(`${head(100)}half`),
    outcome: 504,
    ...little,
  },
  {
    name: 'silence in a long answer',
    upstream: () => sayingUpstream(`${chunked}4\r\nhalf\r\n`),
    outcome: 'cut',
    ...little,
  },
];
