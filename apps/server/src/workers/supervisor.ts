import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listenForOthers } from '@waymark/http';
import type { StartupReport } from '../boot/startup-report.ts';
import { Deaths } from './deaths.ts';
import { LineRelay } from './line-relay.ts';
import type { FromMember, ToMember } from './messages.ts';
import type { Role } from './role.ts';
import { steadyOutput } from './steady-output.ts';

/** npm and watchers pass on the SIGINT that the terminal has sent to everybody. */
const echoMs = 200;
/** What a process may take beyond its own time to end. */
const graceMs = 3_000;
/** Connections for the owner that wait while there is none. */
const maxWaiting = 1_024;

/** What a supervisor starts, and whom it tells. */
export interface SupervisorOptions {
  /** The program of each process, and its arguments. */
  readonly exec: string;
  readonly args: readonly string[];
  readonly processes: number;
  /** Why they are no more, where nobody said how many. */
  readonly because: string | undefined;
  readonly host: string;
  readonly port: number;
  /** Milliseconds that a process has to drain. */
  readonly shutdownMs: number;
  /** Called once, when all serve. */
  readonly onReady: (report: StartupReport) => void;
  /** Lines for people who run it. */
  readonly say: (text: string) => void;
}

/** A process that was started. */
interface Member {
  readonly child: ChildProcess;
  readonly index: number;
  role: Role;
  ready: boolean;
  /** Another one has its place, or keeps it until that one serves. */
  retired: boolean;
  /** Whoever starts to take its place. */
  next: Member | undefined;
  ownerPath: string | undefined;
  /** Connections on their way to it: node forgets those that have not left when a process ends. */
  readonly sending: Set<Connection>;
  onReady: () => void;
}

const nothing = new Uint8Array(0);

/** One that has ended may be among them until its exit is told. */
function serves({ child, ready, retired }: Member): boolean {
  return ready && !retired && child.connected;
}

interface Handle {
  close(): void;
}

interface Connection {
  readonly handle: Handle;
  /** What was read of it; of one that is for the owner something always was. */
  readonly head: Uint8Array;
}

/**
 * Keeps the processes of one server: one owner and the workers beside it. It listens for them and hands connections out in
 * turn, so that none is lost with a process; one that ends is replaced at once. It serves nothing itself.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #secret = randomBytes(32).toString('hex');
  readonly #members = new Set<Member>();
  readonly #deaths = new Deaths();
  readonly #output = steadyOutput(1);
  readonly #errors = steadyOutput(2);
  readonly #waiting: Connection[] = [];
  #folder = '';
  /** Whoever takes the place of one that ended has its code, as far as anybody can say. */
  #boot = randomUUID();
  #heldAt = { url: '', port: 0 };
  /** Workers that are there before the first owner serves. */
  readonly #ranks: Member[] = [];
  /** Connections that came while nobody served. */
  readonly #early: Handle[] = [];
  #turn = 0;
  #signal: { readonly name: NodeJS.Signals; readonly atMs: number } | undefined;
  #stopping = false;
  #reloading = false;
  #exitCode = 0;
  #end: (code: number) => void = () => {};

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** Serves until it is told to stop, or cannot. @returns the exit code */
  async run(): Promise<number> {
    const { processes, host, port, onReady } = this.#options;
    const listening = await listenForOthers(host, port, ({ handle }) => this.#arrive(handle));
    this.#heldAt = { url: listening.url, port: listening.port };
    // Only its owner may enter.
    this.#folder = await mkdtemp(join(tmpdir(), 'waymark-'));
    const ended = new Promise<number>((resolve) => {
      this.#end = resolve;
    });
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => this.#onSignal(name));
    process.on('SIGHUP', () => {
      // A terminal that closes takes its programs with it.
      if (process.stdout.isTTY) this.#onSignal('SIGHUP');
      else void this.#reload();
    });
    const [report] = await Promise.race([
      this.#startAll(processes).then((first) => [first] as const),
      ended.then(() => [undefined] as const),
    ]);
    if (report && !this.#stopping) onReady(report);
    const code = await ended;
    listening.close();
    await rm(this.#folder, { recursive: true, force: true });
    return code;
  }

  /** All at once; but nobody begins before the owner serves, who makes tables and says what is wrong. */
  async #startAll(processes: number): Promise<StartupReport> {
    const [owner, ...workers] = Array.from({ length: processes }, (_, i) =>
      this.#start(i === 0 ? 'owner' : 'worker', i),
    );
    await Promise.all(workers);
    // There is one.
    return owner as Promise<StartupReport>;
  }

  /** Resolves when it serves; never when it ends before. */
  #start(role: Role, index: number): Promise<StartupReport> {
    const { exec, args } = this.#options;
    const child = fork(exec, [...args], { serialization: 'advanced', silent: true });
    const member: Member = {
      ...{ child, index, role, ready: false, retired: false },
      ...{ next: undefined, ownerPath: undefined },
      sending: new Set(),
      onReady: () => {},
    };
    this.#members.add(member);
    if (child.stdout) new LineRelay(child.stdout, this.#output);
    if (child.stderr) new LineRelay(child.stderr, this.#errors);
    return new Promise((resolve) => {
      child.on('message', (message: FromMember, handle: unknown) => {
        if (message.type === 'hello') {
          if (role === 'owner' || this.#deaths.everServed) this.#begin(member);
          else this.#ranks.push(member);
        } else if (message.type === 'ready') {
          this.#onReady(member, message.ownerPath);
          resolve(message.report);
        } else if (message.type === 'connection') this.#pass(member, message, handle as Handle);
        else if (message.type === 'failed') this.#onFailed(member);
        else this.#onSignalled(member);
      });
      child.on('exit', (code: number | null, signal: string | null) => this.#onExit(member, code, signal));
    });
  }

  #begin(member: Member): void {
    const { processes, because } = this.#options;
    const { role, index } = member;
    this.#tell(member, {
      ...{ type: 'begin', role, index, processes, because, boot: this.#boot },
      ...{ folder: this.#folder, secret: this.#secret, ownerPath: this.#owner?.ownerPath },
      heldAt: this.#heldAt,
      pretty: process.stdout.isTTY,
    });
  }

  get #owner(): Member | undefined {
    return [...this.#members].find((member) => member.role === 'owner' && serves(member));
  }

  #tell(member: Member, message: ToMember): void {
    if (member.child.connected) member.child.send(message);
  }

  #onReady(member: Member, ownerPath: string | undefined): void {
    member.ready = true;
    member.ownerPath = ownerPath;
    member.onReady();
    this.#deaths.serves(member.index);
    for (const handle of this.#early.splice(0)) this.#arrive(handle);
    for (const waiting of this.#ranks.splice(0)) this.#begin(waiting);
    if (member.role !== 'owner' || ownerPath === undefined) return;
    for (const other of this.#members)
      if (other.role === 'worker') this.#tell(other, { type: 'owner', path: ownerPath });
    for (const connection of this.#waiting.splice(0)) this.#send(member, connection);
  }

  /** A connection moves: to the owner, or to whoever is next. */
  #pass(from: Member, message: Extract<FromMember, { readonly type: 'connection' }>, handle: Handle): void {
    const { head } = message;
    if (message.to === 'owner') this.#toOwner({ handle, head });
    else this.#arrive(handle, head, from);
  }

  #toOwner(connection: Connection): void {
    const owner = this.#owner;
    if (owner) this.#send(owner, connection);
    else if (this.#waiting.length < maxWaiting && !this.#stopping) this.#waiting.push(connection);
    else connection.handle.close();
  }

  /** A connection is the next one's whose turn it is; it waits while nobody serves. */
  #arrive(handle: Handle, head: Uint8Array = nothing, from?: Member): void {
    const serving = [...this.#members].filter((one) => serves(one) && one !== from);
    const next = serving[this.#turn++ % serving.length];
    if (next) this.#send(next, { handle, head });
    else if (this.#early.length < maxWaiting && head.length === 0 && !this.#stopping)
      this.#early.push(handle);
    else handle.close();
  }

  #send(member: Member, connection: Connection): void {
    const { handle, head } = connection;
    const message: ToMember = { type: 'connection', head };
    member.sending.add(connection);
    // Node's types know sockets and servers only; it passes on handles, too, and reads nothing of them.
    member.child.send(message, handle as never, (error) => {
      if (!member.sending.delete(connection)) return;
      if (error) this.#sendAgain(connection);
      else handle.close();
    });
  }

  /** What never left is unread, so that anybody may take it up. */
  #sendAgain(connection: Connection): void {
    if (connection.head.length > 0) this.#toOwner(connection);
    else this.#arrive(connection.handle);
  }

  #onExit(member: Member, code: number | null, signal: string | null): void {
    this.#members.delete(member);
    const unsent = [...member.sending];
    member.sending.clear();
    for (const connection of unsent) this.#sendAgain(connection);
    if (this.#stopping) {
      if (code !== 0 && this.#signal === undefined) this.#exitCode ||= code ?? 1;
      if (this.#members.size === 0) this.#end(this.#exitCode);
      return;
    }
    if (member.retired) return;
    // Whoever starts already has the place now, and is replaced like any other if it does not come to serve.
    if (member.next && this.#members.has(member.next)) {
      member.next.retired = false;
      return;
    }
    // A first start that fails has said why.
    if (!member.ready && !this.#deaths.everServed) {
      this.#giveUp(code ?? 1);
      return;
    }
    this.#startAnother(
      member,
      signal === null ? `ended with exit code ${code}` : `ended by ${signal}`,
      code || 1,
    );
  }

  /** It is replaced while it still serves, and counted as one that ended. */
  #onFailed(member: Member): void {
    if (this.#stopping || member.retired || member.next) return;
    if (this.#mayStart(member, 'left a failure behind', 1) !== undefined) void this.#replace(member);
  }

  /** Whoever ended had no time to hand anything over. */
  #startAnother(member: Member, how: string, code: number): void {
    const pauseMs = this.#mayStart(member, how, code);
    if (pauseMs === undefined) return;
    setTimeout(() => {
      if (!this.#stopping) void this.#start(member.role, member.index);
    }, pauseMs);
  }

  /** @returns after how many milliseconds; undefined where too many ended, and all are told to */
  #mayStart({ index, role, ready }: Member, how: string, code: number): number | undefined {
    const { say } = this.#options;
    const pauseMs = this.#deaths.died(index, ready);
    if (pauseMs === undefined) {
      say(`process ${index} (${role}) ${how}, again and again: stopping`);
      this.#giveUp(code);
    } else say(`process ${index} (${role}) ${how}; another one takes its place`);
    return pauseMs;
  }

  #giveUp(code: number): void {
    this.#exitCode = code;
    this.#stop();
  }

  #onSignal(name: NodeJS.Signals): void {
    const atMs = performance.now();
    if (this.#signal) {
      if (name === this.#signal.name && atMs - this.#signal.atMs <= echoMs) return;
      for (const { child } of this.#members) child.kill('SIGKILL');
      this.#end(1);
      return;
    }
    this.#signal = { name, atMs };
    this.#stop();
  }

  /** Somebody told one of them alone; or everybody, which this process is told, too. */
  #onSignalled(member: Member): void {
    setTimeout(() => {
      if (this.#stopping || member.retired || member.next) return;
      this.#options.say(
        `process ${member.index} (${member.role}) was told to stop; another one takes its place`,
      );
      void this.#replace(member);
    }, echoMs);
  }

  /** All are told at once: the owner waits for the workers, whose requests it answers. */
  #stop(): void {
    this.#stopping = true;
    for (const member of this.#members) this.#tell(member, { type: 'stop' });
    if (this.#members.size === 0) this.#end(this.#exitCode);
    setTimeout(() => {
      for (const { child } of this.#members) child.kill('SIGKILL');
    }, this.#options.shutdownMs + graceMs).unref();
  }

  /** Puts a new process in the place of each, one after the other, the owner first; the old ones answer what they have. */
  async #reload(): Promise<void> {
    const { say } = this.#options;
    if (this.#reloading || this.#stopping) return;
    this.#reloading = true;
    this.#boot = randomUUID();
    say('reloading');
    for (const old of [...this.#members].filter(({ ready, retired, next }) => ready && !retired && !next))
      if (!(await this.#replace(old))) break;
    this.#reloading = false;
    if (!this.#stopping) say('reloaded');
  }

  /** @returns whether it has come to serve; else the old one goes on, where it still does */
  async #replace(old: Member): Promise<boolean> {
    const before = new Set(this.#members);
    const started = this.#start(old.role, old.index);
    const next = [...this.#members].find((member) => !before.has(member)) as Member;
    old.next = next;
    // Whoever ends before it serves has no place that another one would take.
    next.retired = true;
    const failed = new Promise<boolean>((resolve) => next.child.once('exit', () => resolve(false)));
    next.onReady = () => {
      next.retired = false;
      old.retired = true;
    };
    const served = await Promise.race([started.then(() => true), failed]);
    old.next = undefined;
    if (served) this.#tell(old, { type: 'retire' });
    else if (this.#members.has(old) && !this.#stopping)
      this.#options.say('the new release does not start: the old one goes on');
    return served;
  }
}
