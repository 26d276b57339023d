import { join } from 'node:path';
import { freePort } from '@waymark/contract/testing';
import { type Program, startProgram } from '../program.ts';

/** What a server is started with. */
export interface MortalOptions {
  readonly folder: string;
  /** Variables of its program. */
  readonly env: Readonly<Record<string, string>>;
}

/** A server that is killed and comes back on its file and its port. */
export class MortalServer {
  readonly #options: MortalOptions;
  #program: Program | undefined;
  #port = 0;
  #kills = 0;
  /** One at a time. */
  #last: Promise<void> = Promise.resolve();
  /** What its processes said. */
  #said = '';

  private constructor(options: MortalOptions) {
    this.#options = options;
  }

  static async start(options: MortalOptions): Promise<MortalServer> {
    const server = new MortalServer(options);
    await server.#start();
    return server;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get kills(): number {
    return this.#kills;
  }

  get said(): string {
    return this.#said;
  }

  /** Kills it as the system does, and starts it again. */
  kill(): Promise<void> {
    this.#last = this.#last.then(async () => {
      this.#kills++;
      await this.#end('SIGKILL');
      await this.#start();
    });
    return this.#last;
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#end('SIGTERM');
  }

  async #start(): Promise<void> {
    const { folder, env } = this.#options;
    this.#port ||= await freePort();
    this.#program = startProgram('apps/server/bin/waymark.js', {
      cwd: folder,
      env: { DATABASE: join(folder, 'desk.db'), LOG_LEVEL: 'warn', ...env },
      argv: ['start', join(import.meta.dirname, '../programs/cut-desk.ts'), '--port', String(this.#port)],
    });
    await this.#program.saying(/http:\/\/127\.0\.0\.1:/);
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const program = this.#program;
    program?.child.kill(signal);
    await program?.ended();
    this.#said += `${program?.stdout() ?? ''}${program?.stderr() ?? ''}`;
  }
}
