import { hash } from 'node:crypto';
import type { SimulatedUsage } from '../usage.ts';
import type { PromptBlock } from './prompt.ts';

type CacheUsage = Pick<SimulatedUsage, 'cacheReadTokens' | 'cacheWriteTokens' | 'cacheWrite1hTokens'>;

/** How many pieces before a breakpoint are looked at for a prefix that is known. */
const lookback = 20;

interface Prefix {
  readonly digest: string;
  readonly tokens: number;
  readonly breakpoint: PromptBlock['breakpoint'];
}

/**
 * Remembers prefixes of prompts, and says how much of a new prompt is one of them.
 *
 * Nothing expires; the prefixes longest unused are forgotten first. Prefixes of fewer than `minTokens` are not kept.
 */
export class PromptCache {
  readonly #minTokens: number;
  readonly #maxPrefixes: number;
  readonly #prefixes = new Set<string>();

  constructor(minTokens: number, maxPrefixes = 10_000) {
    this.#minTokens = minTokens;
    this.#maxPrefixes = maxPrefixes;
  }

  /** Chat Completions: every prefix that ends with a piece is kept, unasked and free of charge. */
  readAutomatic(model: string, blocks: readonly PromptBlock[]): CacheUsage {
    const prefixes = this.#prefixesOf(model, blocks);
    const known = prefixes.findLast(({ digest }) => this.#prefixes.has(digest));
    for (const { digest } of prefixes) this.#keep(digest);
    return { cacheReadTokens: known?.tokens ?? 0, cacheWriteTokens: 0, cacheWrite1hTokens: 0 };
  }

  /** Messages: prefixes are kept where a breakpoint ends them, and found from a breakpoint backwards. */
  readAtBreakpoints(model: string, blocks: readonly PromptBlock[]): CacheUsage {
    const none = { cacheReadTokens: 0, cacheWriteTokens: 0, cacheWrite1hTokens: 0 };
    if (!blocks.some(({ breakpoint }) => breakpoint)) return none;
    const prefixes = this.#prefixesOf(model, blocks);
    const marked = prefixes.filter(({ breakpoint }) => breakpoint);
    const reachable = (prefix: Prefix, at: number) =>
      prefixes.slice(at, at + lookback).some(({ breakpoint }) => breakpoint) &&
      this.#prefixes.has(prefix.digest);
    const read = prefixes.findLast(reachable)?.tokens ?? 0;
    let covered = read;
    let hour = 0;
    for (const { tokens, breakpoint } of marked) {
      if (breakpoint === '1h' && tokens > covered) hour += tokens - covered;
      covered = Math.max(covered, tokens);
    }
    for (const { digest } of marked) this.#keep(digest);
    return { cacheReadTokens: read, cacheWriteTokens: covered - read, cacheWrite1hTokens: hour };
  }

  /** Forgets every prefix. */
  clear(): void {
    this.#prefixes.clear();
  }

  #prefixesOf(model: string, blocks: readonly PromptBlock[]): Prefix[] {
    let tokens = 0;
    let digest = model;
    if (blocks.reduce((sum, block) => sum + block.tokens, 0) < this.#minTokens) return [];
    return blocks
      .map((block): Prefix => {
        tokens += block.tokens;
        digest = hash('sha256', `${digest}\n${block.json}`, 'base64');
        return { digest, tokens, breakpoint: block.breakpoint };
      })
      .filter((prefix) => prefix.tokens >= this.#minTokens);
  }

  #keep(digest: string): void {
    this.#prefixes.delete(digest);
    this.#prefixes.add(digest);
    if (this.#prefixes.size <= this.#maxPrefixes) return;
    for (const oldest of this.#prefixes) {
      this.#prefixes.delete(oldest);
      return;
    }
  }
}
