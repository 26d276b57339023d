/** Why no application was written, in a line for whoever asked for it. */
export class CreateError extends Error {
  override readonly name = 'CreateError';
  /** 2: the command was typed wrongly · 1: this machine does not let it be done. */
  readonly exitCode: 1 | 2;

  constructor(message: string, { exitCode = 2, cause }: { exitCode?: 1 | 2; cause?: unknown } = {}) {
    super(message, { cause });
    this.exitCode = exitCode;
  }
}
