import type { Former } from '../findings.ts';
import { hermes } from './hermes.ts';
import { nanobot } from './nanobot.ts';
import { openclaw } from './openclaw.ts';
import { zeptoclaw } from './zeptoclaw.ts';
import { zeroclaw } from './zeroclaw.ts';

/** The programs that people come from. */
export const formers: readonly Former[] = [openclaw, hermes, zeroclaw, zeptoclaw, nanobot];
