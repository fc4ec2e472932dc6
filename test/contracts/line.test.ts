import '../../examples/channels/line/line.test.ts';
