import { hash } from 'node:crypto';

/** Ids that follow from one request alone, so that the same request gets the same ones. */
export interface Ids {
  /** `chatcmpl-…` */
  readonly completion: string;
  /** `msg_01…` */
  readonly message: string;
  /** `call_…`, 24 characters. */
  openaiCall(index: number): string;
  /** `toolu_01…`, 22 characters. */
  anthropicCall(index: number): string;
}

/** Makes the ids of a request. @param digest of its body */
export function idsOf(digest: string): Ids {
  const letters = (of: string, length: number) =>
    hash('sha256', `${digest} ${of}`, 'base64')
      .replaceAll(/[^a-zA-Z0-9]/g, 'x')
      .slice(0, length);
  return {
    completion: `chatcmpl-${letters('completion', 29)}`,
    message: `msg_01${letters('message', 22)}`,
    openaiCall: (index) => `call_${letters(`call ${index}`, 24)}`,
    anthropicCall: (index) => `toolu_01${letters(`call ${index}`, 22)}`,
  };
}
