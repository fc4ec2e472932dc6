import { setting } from '../../examples/channels/line/line.test.ts';
import { daemonContract } from './daemon-contract.ts';

daemonContract('line', setting);
