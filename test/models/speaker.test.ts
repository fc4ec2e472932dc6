import { describe, expect, test } from 'vitest';
import { directNetwork } from '../../src/lib/network/network.ts';
import { type SpeechDescription, SpeechError, speak } from '../../src/models/speaker.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { speaks, speechServer } from './speech-server.ts';
import { replies } from './transcription-server.ts';

const never = new AbortController().signal;

function spoken(url: string, more: Partial<SpeechDescription> = {}, clock = new ManualClock(), signal = never) {
  const description = {
    ...{ baseUrl: `${url}/v1/`, name: 'tts-1', apiKey: 'secret-key-1', voice: 'alloy', format: 'opus' },
    ...{ longest: 4000, timeout: 60_000, ...more },
  };
  return speak('你好, Ada', { description, clock, network: directNetwork }, signal);
}

describe('a text', () => {
  test('is sent with model, voice and format, and comes back as a recording', async () => {
    const { url, received } = await speechServer(speaks());
    expect(await spoken(url)).toMatchObject({ mediaType: 'audio/ogg', extension: 'ogg' });
    expect(received).toEqual([
      {
        path: '/v1/audio/speech',
        authorization: 'Bearer secret-key-1',
        body: { model: 'tts-1', voice: 'alloy', input: '你好, Ada', response_format: 'opus' },
      },
    ]);
  });

  test.each([
    ['OggS', 'audio/ogg', 'ogg'],
    ['ID3', 'audio/mpeg', 'mp3'],
    ['\xff\xfb\x90', 'audio/mpeg', 'mp3'],
    ['\xff\xf3\x90', 'audio/mpeg', 'mp3'],
    ['\xff\xf1\x50', 'audio/aac', 'aac'],
    ['fLaC', 'audio/flac', 'flac'],
    ['RIFF\0\0\0\0WAVE', 'audio/wav', 'wav'],
    ['\0\0\0 ftypM4A', 'audio/mp4', 'm4a'],
  ])('that comes back as %j is %s, whatever was asked for', async (start, mediaType, extension) => {
    const { url } = await speechServer(speaks(start));
    expect(await spoken(url)).toMatchObject({ mediaType, extension });
  });

  test('goes without a key to a server that wants none', async () => {
    const { url, received } = await speechServer(speaks());
    await spoken(url, { apiKey: undefined });
    expect(received[0]?.authorization).toBeUndefined();
  });
});

describe('a speech server that fails', () => {
  test.each([429, 500, 503])('with %i is asked once more, a second later', async (status) => {
    const { url, received } = await speechServer(replies(status, 'no'), speaks());
    const clock = new ManualClock();
    const said = spoken(url, {}, clock);
    await clock.passes(1000);
    await said;
    expect(received).toHaveLength(2);
  });

  test.each([
    [
      replies(401, { error: { message: 'bad key secret-key-1' } }),
      'refuses the key: the owner has to check speech.api_key',
    ],
    [replies(404, ''), 'does not know the model tts-1: the owner has to check speech.name and speech.base_url'],
    [replies(413, ''), 'the answer is too long for the speech server'],
    [replies(400, { error: { message: 'no voice\nfor secret-key-1.' } }), 'refuses it (400: no voice ⏎ for …)'],
    [replies(302, ''), 'refuses it (302)'],
    [replies(200, { text: 'hello' }), 'what answers at speech.base_url is no speech server'],
    [replies(200, ''), 'what answers at speech.base_url is no speech server'],
  ])('says why, without the key', async (reply, words) => {
    const { url } = await speechServer(reply);
    const error = await spoken(url).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(SpeechError);
    expect(String(error)).toContain(words);
    expect(String(error)).not.toContain('secret-key-1');
  });

  test('by silence is given up after its time, and at once with the process', async () => {
    const { url, asked } = await speechServer(() => {});
    const clock = new ManualClock();
    const late = expect(spoken(url, {}, clock)).rejects.toThrow('speaking took longer than 60 s');
    await asked(1);
    await clock.passes(60_000);
    await late;
    const ending = new AbortController();
    const ended = expect(spoken(url, {}, clock, ending.signal)).rejects.toBe('the end');
    await asked(2);
    ending.abort('the end');
    await ended;
  });

  test('by being away is named', async () => {
    const clock = new ManualClock();
    const said = expect(spoken('http://127.0.0.1:1', {}, clock)).rejects.toThrow('the speech server cannot be reached');
    await clock.passes(1000);
    await said;
  });
});
