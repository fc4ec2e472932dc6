import type { Button, ChannelFault } from '../../src/contract.ts';

/** What the platform was asked to do, in the order in which it was asked. */
export interface Traffic {
  readonly type: 'send' | 'edit' | 'preview' | 'finish' | 'cancel';
  readonly place: string;
  readonly text: string;
  readonly id?: string;
  readonly ref?: string;
  readonly failed: boolean;
}

/** How a request fails; `isShown`: though the platform has carried it out; `of`, `in`: only of this kind, only in this place. */
export interface Trouble {
  readonly fault: ChannelFault;
  readonly isShown: boolean;
  readonly of?: Traffic['type'];
  readonly in?: string;
}

/** A message as people see it. */
export interface Shown {
  readonly ref: string;
  readonly place: string;
  readonly kind: string;
  readonly id: string;
  readonly text: string;
  readonly buttons: readonly (readonly Button[])[];
}
