const bytes = 33_554_432;
const page = 4_096;
const tries = 8;

/**
 * Milliseconds that 32 MiB of new memory take to be touched for the first time, the least of some tries: 12 to 20 on most
 * machines, 110 and more on a virtual one whose pages its host has to map each by itself. Whatever starts processes, as tests do,
 * is slower there by as much.
 */
export function touchMs(): number {
  return Math.min(...Array.from({ length: tries }, once));
}

function once(): number {
  const startMs = performance.now();
  const memory = Buffer.allocUnsafeSlow(bytes);
  for (let i = 0; i < bytes; i += page) memory[i] = 1;
  return performance.now() - startMs;
}
