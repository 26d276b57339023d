/** What an error answer says; each format has its own body for it. */
export interface RefusalMembers {
  readonly status: number;
  readonly message: string;
  /** The format's word for the kind of error; else the one its service uses for the status. */
  readonly type?: string | undefined;
  /** Chat Completions only. */
  readonly param?: string | undefined;
  /** Chat Completions only. */
  readonly code?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that gets an error instead of a reply. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly members: RefusalMembers;

  constructor(members: RefusalMembers) {
    super(members.message);
    this.members = members;
  }
}
