import type { PageRoute } from '../page-route.ts';
import { commandRoute } from './command.ts';

export const peopleRoutes: readonly PageRoute[] = [commandRoute];
