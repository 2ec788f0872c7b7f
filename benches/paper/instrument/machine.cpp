// Steps worlds with the kernels of a configuration, which are linked to this, and prints how often basic blocks ran.
//
// machine FOLDER WORLDS WARM_UP STEPS: buffers of the model and of a world are in the folder; only STEPS are counted.
#include "machine.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kernels.h"  // KERNELS, and where things are in a world: written for the configuration

// Lanes of a warp, which issues an instruction once for all of them, and the bytes that memory moves at least.
constexpr size_t WARP = 32, SECTOR = 32;

// Accesses of buffers by the lanes of warps: the n-th of an instruction in one lane goes with the n-th in the others.
struct Accesses {
    std::vector<std::map<std::pair<uint32_t, uint32_t>, std::set<uint64_t>>> sectors;
    std::vector<std::map<uint32_t, uint32_t>> turn;
    double bytes = 0;

    explicit Accesses(size_t threads) : sectors((threads + WARP - 1) / WARP), turn(threads) {}
};

void note(const Thread& t, uint32_t instruction, const char* at, uint32_t size) {
    Accesses& all = *t.accesses;
    const uint32_t n = all.turn[t.index][instruction]++;
    const uint64_t first = (uint64_t)at / SECTOR, last = ((uint64_t)at + size - 1) / SECTOR;
    auto& request = all.sectors[t.index / WARP][{instruction, n}];
    for (uint64_t sector = first; sector <= last; sector++) request.insert(sector);
    all.bytes += size;
}

namespace {

template <class T> std::vector<T> contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)), {});
    std::vector<T> values(bytes.size() / sizeof(T) + 1);
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

// Element `k` of world `w`: groups of INTERLEAVE worlds lie together, element by element.
size_t place(size_t stride, size_t w, size_t k) {
    return w / INTERLEAVE * stride * INTERLEAVE + k * INTERLEAVE + w % INTERLEAVE;
}

// Sums over groups and counted steps.
struct Counts {
    std::vector<double> warps, lanes;  // by block: how often warps issue it, and how often lanes run it
    double requests = 0, sectors = 0, bytes = 0;

    explicit Counts(size_t blocks) : warps(blocks), lanes(blocks) {}
};

struct Buffers {
    std::vector<float> data_f, model_f;
    std::vector<int> data_i, model_i;
    uint64_t at[4];
    uint32_t sizes[4];

    Buffers(const std::string& folder, size_t worlds)
        : data_f(worlds * STRIDE_F), model_f(contents<float>(folder + "/model_f.bin")), data_i(worlds * STRIDE_I + 1),
          model_i(contents<int>(folder + "/model_i.bin")) {
        const auto world_f = contents<float>(folder + "/world_f.bin");
        const auto world_i = contents<int>(folder + "/world_i.bin");
        for (size_t w = 0; w < worlds; w++) {
            for (size_t k = 0; k < STRIDE_F; k++) data_f[place(STRIDE_F, w, k)] = world_f[k];
            for (size_t k = 0; k < STRIDE_I; k++) data_i[place(STRIDE_I, w, k)] = world_i[k];
            // each world holds a control of its own
            std::mt19937 random((unsigned)w + 1);
            std::uniform_real_distribution<float> uniform(-1, 1);
            for (size_t k = 0; k < CTRL.len; k++) data_f[place(STRIDE_F, w, CTRL.offset + k)] = uniform(random);
        }
        const void* begin[] = {data_f.data(), data_i.data(), model_f.data(), model_i.data()};
        const size_t elements[] = {data_f.size(), data_i.size(), model_f.size(), model_i.size()};
        for (int b = 0; b < 4; b++) {
            at[b] = (uint64_t)begin[b];
            sizes[b] = (uint32_t)(4 * elements[b]);
        }
    }
};

// A group of a kernel: its threads run from barrier to barrier, one after another.
class Group {
    const Kernel& kernel;
    size_t registers_bytes;
    std::vector<Thread> threads;
    std::vector<std::unique_ptr<char[]>> registers;
    std::vector<char> shared;
    std::vector<uint32_t> entered;

  public:
    Group(const Kernel& kernel, Buffers& buffers, size_t groups)
        : kernel(kernel), registers_bytes(*kernel.registers), threads(kernel.threads), shared(kernel.shared + 64),
          entered(kernel.threads * kernel.blocks) {
        for (size_t t = 0; t < kernel.threads; t++) {
            registers.emplace_back(new char[registers_bytes]);
            threads[t].index = (uint32_t)t;
            threads[t].threads = (uint32_t)kernel.threads;
            threads[t].groups = (uint32_t)groups;
            threads[t].shared = shared.data() + (16 - (uint64_t)shared.data() % 16) % 16;
            threads[t].buffers = buffers.at;
            threads[t].sizes = buffers.sizes;
            threads[t].registers = registers[t].get();
            threads[t].entered = &entered[t * kernel.blocks];
        }
    }

    void run(size_t group, Accesses* accesses) {
        std::fill(entered.begin(), entered.end(), 0);
        for (auto& t : threads) {
            std::memset(t.registers, 0, registers_bytes);
            t.resume = 0;
            t.group = (uint32_t)group;
            t.accesses = accesses;
        }
        for (bool live = true; live;) {
            live = false;
            for (auto& t : threads) {
                if (t.resume == DONE) continue;
                kernel.run(t);
                live |= t.resume != DONE;
            }
        }
    }

    // A warp issues a block as often as its busiest lane enters it: a lower bound where lanes take turns.
    void add_to(Counts& counts) const {
        for (size_t b = 0; b < kernel.blocks; b++) {
            for (size_t first = 0; first < kernel.threads; first += WARP) {
                uint32_t most = 0;
                for (size_t t = first; t < std::min(kernel.threads, first + WARP); t++) {
                    const uint32_t n = entered[t * kernel.blocks + b];
                    most = std::max(most, n);
                    counts.lanes[b] += n;
                }
                counts.warps[b] += most;
            }
        }
    }
};

// One dispatch: groups are independent, so that the cores of the host share them.
void dispatch(const Kernel& kernel, Buffers& buffers, size_t worlds, bool count, bool log, Counts& counts) {
    const size_t groups = worlds / kernel.worlds;
    std::atomic<size_t> next{0};
    std::vector<Counts> parts(std::max(1u, std::thread::hardware_concurrency()), Counts(kernel.blocks));
    Accesses accesses(kernel.threads);
    auto work = [&](Counts& part) {
        Group group(kernel, buffers, groups);
        for (size_t g; (g = next++) < groups;) {
            group.run(g, log && g == 0 ? &accesses : nullptr);
            if (count) group.add_to(part);
        }
    };
    std::vector<std::thread> cores;
    for (auto& part : parts) cores.emplace_back(work, std::ref(part));
    for (auto& core : cores) core.join();
    for (const auto& part : parts) {
        for (size_t b = 0; b < kernel.blocks; b++) {
            counts.warps[b] += part.warps[b];
            counts.lanes[b] += part.lanes[b];
        }
    }
    for (const auto& warp : accesses.sectors) {
        for (const auto& request : warp) {
            counts.requests++;
            counts.sectors += (double)request.second.size();
        }
    }
    counts.bytes += accesses.bytes;
}

void print(const char* name, const std::vector<double>& values) {
    printf("\"%s\": [", name);
    for (size_t k = 0; k < values.size(); k++) printf("%s%.9g", k ? ", " : "", values[k]);
    printf("]");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) return 2;
    const size_t worlds = strtoul(argv[2], nullptr, 10), warm = strtoul(argv[3], nullptr, 10);
    const size_t steps = strtoul(argv[4], nullptr, 10);
    Buffers buffers(argv[1], worlds);
    std::vector<Counts> counts;
    for (const auto& kernel : KERNELS) counts.emplace_back(kernel.blocks);
    for (size_t step = 0; step < warm + steps; step++) {
        for (size_t k = 0; k < std::size(KERNELS); k++) {
            dispatch(KERNELS[k], buffers, worlds, step >= warm, step + 1 == warm + steps, counts[k]);
        }
    }

    // bits of the status of all worlds together, what the most crowded one asked for, and a pose, by which runs are compared
    int status = 0, contacts = 0, rows = 0;
    for (size_t w = 0; w < worlds; w++) {
        for (size_t k = 0; k < STATUS.len; k++) status |= buffers.data_i[place(STRIDE_I, w, STATUS.offset + k)];
        if (NCON_PEAK.len) contacts = std::max(contacts, buffers.data_i[place(STRIDE_I, w, NCON_PEAK.offset)]);
        if (NEFC_PEAK.len) rows = std::max(rows, buffers.data_i[place(STRIDE_I, w, NEFC_PEAK.offset)]);
    }
    std::vector<double> pose;
    for (size_t k = 0; k < std::min<size_t>(QPOS.len, 7); k++) {
        pose.push_back(buffers.data_f[place(STRIDE_F, 0, QPOS.offset + k)]);
    }
    printf("{\"status\": %d, \"contacts\": %d, \"rows\": %d, ", status, contacts, rows);
    print("qpos", pose);
    printf(", \"kernels\": [");
    for (size_t k = 0; k < std::size(KERNELS); k++) {
        const auto& c = counts[k];
        printf("%s{\"requests\": %.9g, \"sectors\": %.9g, ", k ? ", " : "", c.requests, c.sectors);
        printf("\"bytes\": %.9g, ", c.bytes);
        print("warps", c.warps);
        printf(", ");
        print("lanes", c.lanes);
        printf("}");
    }
    printf("]}\n");
}
