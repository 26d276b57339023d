import type { Header } from '../wire/connection.ts';

/** One caller, one door and what is done to it, as data: attackers are processes of their own. */
export interface Attack {
  /** Who attacks. */
  readonly by: string;
  readonly headers: readonly Header[];
  readonly door: Door;
  /** `bodies/body: too deep`, or all that fit a door in turn: `bodies+heads/all`. */
  readonly shape: string;
}

/** A route as an attacker sees it. */
export interface Door {
  readonly method: string;
  /** A path that leads to it. */
  readonly target: string;
  /** Bytes of the largest body that it begins to read. */
  readonly limit: number;
  /** Members of its input that are held against a pattern. */
  readonly patterned: readonly string[];
}

/** What an attacker is told. It begins when it hears `go`. */
export interface Order {
  readonly port: number;
  readonly ms: number;
  readonly attack: Attack;
}

/** What an attacker did, and heard: how often, by a word or a status. */
export type Deeds = Readonly<Record<string, number>>;
