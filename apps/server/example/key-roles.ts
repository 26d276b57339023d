/** The variables of the reference application's keys, and what each may do. */
export const keyRoles = {
  OPERATOR_KEY: 'everything, svc:admin included',
  DEVICE_KEY: 'sending frames and telemetry, nothing else',
  READER_KEY: 'reading, nothing else',
} as const;

/** The variable of a key. */
export type KeyName = keyof typeof keyRoles;

/** The variables alone. */
export const keyNames = Object.keys(keyRoles) as readonly KeyName[];
