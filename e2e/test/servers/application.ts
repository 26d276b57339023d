import { join } from 'node:path';

/** The module of the application that is served. */
export const application = join(import.meta.dirname, '../programs/drilled-desk.ts');
