// The training's lessons, in their order: where each is, what is true of it, and what the guest has.
// `answer`: what is right at the machine. `check`: what is right at the check ("fits" or the reason of a mismatch).
export const LESSONS = [
  { id: "own", position: "T-0101", bank: "T1", x: 4, y: 9, last4: "1001", answer: "found", check: "fits", identification: "sa_id", pocket: "E-0003", amount: 75_000 },
  { id: "comes", position: "T-0204", bank: "T2", x: 14, y: 9, last4: "2002", answer: "not_there", comes: true, check: "fits", identification: "passport", pocket: "E-0007", amount: 50_000 },
  { id: "other", position: "T-0302", bank: "T3", x: 4, y: 3, last4: "3003", answer: "other_person" },
  { id: "gone", position: "T-0405", bank: "T4", x: 14, y: 3, last4: "4004", answer: "not_there", comes: false },
  { id: "paper", position: "T-0103", bank: "T1", x: 6, y: 9, last4: "5005", answer: "found", check: "owner" },
];

export const FLOOR = {
  version: "training",
  zones: { TRAINING: "" },
  banks: [
    { zone: "TRAINING", name: "T1", kind: "slot", west: 2, south: 8, east: 8, north: 10 },
    { zone: "TRAINING", name: "T2", kind: "slot", west: 12, south: 8, east: 18, north: 10 },
    { zone: "TRAINING", name: "T3", kind: "slot", west: 2, south: 2, east: 8, north: 4 },
    { zone: "TRAINING", name: "T4", kind: "slot", west: 12, south: 2, east: 18, north: 4 },
  ],
};

export const TRAY = ["E-0001", "E-0003", "E-0004", "E-0007", "E-0009", "E-0012"];
