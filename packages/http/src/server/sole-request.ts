import { ListenedRequest } from './listened-request.ts';

/**
 * A request whose body the door alone reads: made by a server of its own, with nothing in front. Whoever is handed one,
 * and may have kept what was read, makes it another kind: express does.
 */
export class SoleRequest extends ListenedRequest {}
