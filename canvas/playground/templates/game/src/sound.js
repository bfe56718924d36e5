// Short tones. A browser allows them after the first press, which a game always has.
let audio;

function tone(from, to, seconds, type = "sine", volume = 0.08) {
  try {
    audio ??= new AudioContext();
    const now = audio.currentTime;
    const wave = audio.createOscillator();
    const level = audio.createGain();
    wave.type = type;
    wave.frequency.setValueAtTime(from, now);
    wave.frequency.exponentialRampToValueAtTime(to, now + seconds);
    level.gain.setValueAtTime(volume, now);
    level.gain.exponentialRampToValueAtTime(0.0001, now + seconds);
    wave.connect(level).connect(audio.destination);
    wave.start(now);
    wave.stop(now + seconds);
  } catch {
    // no sound here: the game goes on
  }
}

export const hop = () => tone(320, 640, 0.12, "triangle");
export const land = () => tone(180, 120, 0.08, "square", 0.03);
export const fall = () => tone(300, 60, 0.5, "sawtooth", 0.05);
