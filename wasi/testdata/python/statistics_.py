import collections
import heapq
import itertools
import math
import random
import statistics as s
data = [2.5, 3.25, 5.5, 11.25, 11.75, 11.75]
print(s.mean(data), s.median(data), s.mode(data), s.stdev(data), s.pvariance(data), s.quantiles(data, n=4), s.fmean(data), s.geometric_mean(data), s.harmonic_mean([40, 60]))
print(s.linear_regression([1, 2, 3], [2, 4, 6.5]), s.correlation([1, 2, 3], [3, 2, 1]), s.NormalDist(100, 15).cdf(130), s.multimode("aabbc"))
try:
    s.mean([])
except s.StatisticsError as e:
    print(e)
random.seed(42)
print([random.randint(1, 100) for _ in range(5)], random.random(), random.sample(range(10), 3), random.gauss(0, 1))
print(math.comb(50, 25), math.isqrt(10**30), math.fsum([0.1] * 10), math.gamma(5.5), math.dist((0, 0), (3, 4)), 2**200, 7**-2, round(2.5), 1e22, 0.1 + 0.2)
print(collections.Counter("mississippi").most_common(2), heapq.nsmallest(2, [3, 1, 2]), list(itertools.pairwise("abc")), list(itertools.accumulate([1, 2, 3])))
