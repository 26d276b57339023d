import { Agent, request } from 'node:http';

/** Longer is a fault by itself. */
const patienceMs = 20_000;

/** What a neighbour does by requests. */
export class Desk {
  readonly #url: string;
  readonly #key: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 32 });
  #n = 0;
  #own = 0;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  /** Opens the ticket that is then read again and again: that of somebody else may go at any time. */
  async moveIn(): Promise<void> {
    const ticket = await this.#send('POST', '/tickets', 201, { title: 'The ticket of the neighbour' });
    this.#own = (JSON.parse(ticket) as { readonly id: number }).id;
  }

  async read(): Promise<void> {
    await this.#send('GET', `/tickets/${this.#own}`, 200);
  }

  async write(): Promise<void> {
    await this.#send('POST', '/tickets', 201, { title: `Ticket ${this.#n++} of the neighbour` });
  }

  async callTool(): Promise<void> {
    const params = { name: 'get_tickets', arguments: { id: this.#own } };
    const text = await this.#send('POST', '/_svc/mcp', 200, {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params,
    });
    if (!text.includes('"isError":false')) throw new Error(`the tool said ${text}`);
  }

  #send(method: string, path: string, expected: number, value?: object): Promise<string> {
    const body = value && JSON.stringify(value);
    const headers = {
      'x-api-key': this.#key,
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      }),
    };
    return new Promise((resolve, reject) => {
      const req = request(
        this.#url + path,
        { method, headers, agent: this.#agent, timeout: patienceMs },
        (res) => {
          let text = '';
          res.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          res.once('end', () => {
            if (res.statusCode === expected) resolve(text);
            else reject(new Error(`${method} ${path}: ${res.statusCode} ${text.slice(0, 200)}`));
          });
          res.once('error', reject);
        },
      );
      req.once('timeout', () => req.destroy(new Error(`${method} ${path}: no answer in ${patienceMs} ms`)));
      req.once('error', (error) => {
        // A connection that was kept may have been closed meanwhile, which is nobody's fault: again, once.
        if (req.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET')
          this.#send(method, path, expected, value).then(resolve, reject);
        else reject(error);
      });
      req.end(body);
    });
  }
}
