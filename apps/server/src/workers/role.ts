/** What one of several processes of a server is: the owner of devices, runs and writes, or a worker beside it. */
export type Role = 'owner' | 'worker';
